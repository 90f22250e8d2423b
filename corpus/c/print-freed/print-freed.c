// A thread prints a name that main may have freed by then.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *name;

static void *work(void *arg) {
    puts(name);
    return arg;
}

int main(void) {
    pthread_t thread;
    name = malloc(4);
    strcpy(name, "abc");
    pthread_create(&thread, 0, work, 0);
    free(name);
    pthread_join(thread, 0);
    return 0;
}
