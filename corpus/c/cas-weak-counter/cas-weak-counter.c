/* A counter by compare_exchange_weak, relaxed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_ulong counter;

static void *add(void *argument) {
    for (size_t left = (size_t)argument; left > 0; left--) {
        unsigned long seen = atomic_load_explicit(&counter, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&counter, &seen, seen + 1, memory_order_relaxed,
                                                      memory_order_relaxed))
            ;
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, add, (void *)1);
    pthread_create(&second, NULL, add, (void *)2);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(atomic_load(&counter) == 3);
    return 0;
}
