// A string literal is written through a pointer that has lost its const.
#include <pthread.h>

static char *name = "first";

static void *work(void *arg) {
    name[0] = 'F';
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
