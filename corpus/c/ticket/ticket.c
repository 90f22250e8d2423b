/* Ticket lock around plain data, twice each; the unlock is release. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next;
static atomic_uint serving;

static int item;

/* The item is 1 only inside. */
static void critical_section(void) {
    assert(item == 0);
    item = 1;
    item = 0;
}

static void lock(void) {
    unsigned ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != ticket)
        ;
}

static void unlock(void) {
    unsigned now = atomic_load_explicit(&serving, memory_order_relaxed);
    atomic_store_explicit(&serving, now + 1, memory_order_release);
}

static void *worker(void *argument) {
    (void)argument;
    for (int round = 0; round < 2; round++) {
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
