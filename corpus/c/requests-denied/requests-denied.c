// Requests that the library denies: sizes that no object can have, a barrier for nobody, the end of a mutex that is held.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    shared++;
    assert(pthread_mutex_destroy(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    size_t half = SIZE_MAX / 2 + 1;
    assert(calloc(half, 2) == 0);
    assert(malloc(half) == 0 && errno == ENOMEM);
    int *kept = malloc(sizeof *kept);
    *kept = 5;
    assert(realloc(kept, half) == 0 && *kept == 5);
    assert(realloc(kept, 0) == 0);
    pthread_barrier_t barrier;
    assert(pthread_barrier_init(&barrier, 0, 0) == EINVAL);
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(shared == 2 && pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
