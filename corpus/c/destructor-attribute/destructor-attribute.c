// Functions with the attribute `destructor` run when the process ends, after those that `atexit` knows.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int order;

static void first(void) { order = order * 10 + 1; }
static void second(void) { order = order * 10 + 2; }

__attribute__((destructor(200))) static void last(void) { assert(order == 213); }
__attribute__((destructor(300))) static void third(void) { order = order * 10 + 3; }

static void *leave(void *arg) {
    exit(0);
    return arg;
}

int main(void) {
    pthread_t thread;
    atexit(first);
    atexit(second);
    pthread_create(&thread, 0, leave, 0);
    pthread_join(thread, 0);
    return 1;
}
