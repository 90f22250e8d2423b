/* Readers-writer spin lock: a writer has the top bit, readers count below it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define WRITER 256

static atomic_int state;
static int left, right;

static void *writer(void *argument) {
    (void)argument;
    for (;;) {
        int expected = 0;
        while (!atomic_compare_exchange_weak_explicit(&state, &expected, WRITER, memory_order_acquire,
                                                      memory_order_relaxed))
            expected = 0;
        left = 1 - left;
        right = 1 - right;
        atomic_fetch_sub_explicit(&state, WRITER, memory_order_release);
    }
    return NULL;
}

static void *reader(void *argument) {
    (void)argument;
    for (;;) {
        int old = atomic_load_explicit(&state, memory_order_relaxed);
        if (old < WRITER
            && atomic_compare_exchange_strong_explicit(&state, &old, old + 1, memory_order_acquire,
                                                       memory_order_relaxed)) {
            assert(left == right);
            atomic_fetch_sub_explicit(&state, 1, memory_order_release);
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
