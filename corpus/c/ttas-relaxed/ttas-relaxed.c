/* Test-and-test-and-set lock around plain data, for ever; the unlock is relaxed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;

static int item;

/* The item is 1 only inside. */
static void critical_section(void) {
    assert(item == 0);
    item = 1;
    item = 0;
}

static void lock(void) {
    do {
        while (atomic_load_explicit(&held, memory_order_relaxed))
            ;
    } while (atomic_exchange_explicit(&held, 1, memory_order_acquire));
}

static void unlock(void) {
    atomic_store_explicit(&held, 0, memory_order_relaxed);
}

static void *worker(void *argument) {
    (void)argument;
    for (;;) {
        lock();
        critical_section();
        unlock();
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, (void *)0);
    pthread_create(&second, NULL, worker, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
