/* Sequence lock: one writer, one reader, two words that must be read together. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *argument) {
    (void)argument;
    for (int value = 1; value <= 2; value++) {
        unsigned now = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, now + 1, memory_order_relaxed);
        atomic_store_explicit(&left, value, memory_order_relaxed);
        atomic_store_explicit(&right, value, memory_order_relaxed);
        atomic_store_explicit(&sequence, now + 2, memory_order_relaxed);
    }
    return NULL;
}

static void *reader(void *argument) {
    (void)argument;
    for (;;) {
        unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
        if (before % 2 == 0) {
            int l = atomic_load_explicit(&left, memory_order_relaxed);
            int r = atomic_load_explicit(&right, memory_order_relaxed);
            atomic_thread_fence(memory_order_acquire);
            if (atomic_load_explicit(&sequence, memory_order_relaxed) == before)
                assert(l == r);
        }
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, writer, (void *)0);
    pthread_create(&second, NULL, reader, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
