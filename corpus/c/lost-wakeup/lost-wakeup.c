/* Sleep and wake-up by two flags: the waiter must not sleep for ever. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int work;
static atomic_int sleeping;
static atomic_int woken;
static atomic_int slept_on_work;

static void *waiter(void *argument) {
    (void)argument;
    atomic_store_explicit(&sleeping, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&work, memory_order_relaxed))
        atomic_store(&slept_on_work, 1);
    return NULL;
}

static void *waker(void *argument) {
    (void)argument;
    atomic_store_explicit(&work, 1, memory_order_relaxed);
    if (atomic_load_explicit(&sleeping, memory_order_relaxed))
        atomic_store(&woken, 1);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, waiter, NULL);
    pthread_create(&second, NULL, waker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(!atomic_load(&slept_on_work) || atomic_load(&woken));
    return 0;
}
