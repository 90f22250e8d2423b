/* A thread ends the process while main waits for it. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static int finished;

static void *finish(void *unused) {
    finished = 1;
    exit(0);
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, finish, NULL);
    pthread_join(worker, NULL);
    assert(0);
    return finished;
}
