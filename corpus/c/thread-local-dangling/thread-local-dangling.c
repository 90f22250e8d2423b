/* A thread gives back the address of its thread-local counter, and main reads it after the join. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static _Thread_local int counter;

static void *count(void *unused) {
    (void)unused;
    counter = 3;
    return &counter;
}

int main(void) {
    pthread_t worker;
    void *result = NULL;
    pthread_create(&worker, NULL, count, NULL);
    pthread_join(worker, &result);
    assert(*(int *)result == 3);
    return 0;
}
