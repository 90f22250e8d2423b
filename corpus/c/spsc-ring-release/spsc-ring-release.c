/* Ring of two slots, one producer, one consumer, for ever; the indices are stored release. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2

static int slots[SIZE];
static atomic_uint head, tail;

static void *producer(void *argument) {
    (void)argument;
    for (unsigned value = 0;; value = (value + 1) % 4) {
        unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
        while ((t + 4 - atomic_load_explicit(&head, memory_order_acquire)) % 4 == SIZE)
            ;
        slots[t % SIZE] = (int)value + 1;
        atomic_store_explicit(&tail, (t + 1) % 4, memory_order_release);
    }
    return NULL;
}

static void *consumer(void *argument) {
    (void)argument;
    for (unsigned expected = 0;; expected = (expected + 1) % 4) {
        unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
        while (atomic_load_explicit(&tail, memory_order_acquire) == h)
            ;
        assert(slots[h % SIZE] == (int)expected + 1);
        atomic_store_explicit(&head, (h + 1) % 4, memory_order_release);
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, producer, (void *)0);
    pthread_create(&second, NULL, consumer, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
