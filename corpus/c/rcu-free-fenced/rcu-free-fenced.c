/* The writer puts a new version in place, waits until nobody reads, and frees the old one; the reader has a fence. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic current;
static atomic_int reading;

static int *version(int value) {
    int *place = malloc(sizeof *place);
    *place = value;
    return place;
}

static void *reader(void *unused) {
    atomic_store_explicit(&reading, 1, memory_order_relaxed);
    __sync_synchronize();
    int *place = atomic_load_explicit(&current, memory_order_acquire);
    assert(*place == 1 || *place == 2);
    atomic_store_explicit(&reading, 0, memory_order_release);
    return unused;
}

static void *writer(void *unused) {
    int *old = atomic_exchange(&current, version(2));
    while (atomic_load(&reading))
        ;
    free(old);
    return unused;
}

int main(void) {
    pthread_t first, second;
    atomic_store(&current, version(1));
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, writer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
