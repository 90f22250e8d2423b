/* A number of 128 bits, to which two threads add under a mutex. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned __int128 total;

static void *add_square(void *argument) {
    uint64_t number = *(uint64_t *)argument;
    unsigned __int128 square = (unsigned __int128)number * number;
    pthread_mutex_lock(&mutex);
    total += square;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    uint64_t largest = UINT64_MAX, one = 1;
    pthread_create(&first, NULL, add_square, &largest);
    pthread_create(&second, NULL, add_square, &one);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert((uint64_t)(total >> 64) == UINT64_MAX - 1);
    assert((uint64_t)total == 2);
    assert((__int128)total / -4 == ((__int128)1 << 63) - 1);
    return 0;
}
