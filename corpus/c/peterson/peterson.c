/* Peterson's lock for two threads, for ever. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static atomic_int turn;

static atomic_int inside;

static void critical_section(void) {
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
}

static void lock(int me) {
    int other = 1 - me;
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    atomic_store_explicit(&turn, other, memory_order_relaxed);
    while (atomic_load_explicit(&flag[other], memory_order_relaxed)
           && atomic_load_explicit(&turn, memory_order_relaxed) == other)
        ;
}

static void unlock(int me) {
    atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
}

static void *worker(void *argument) {
    int me = argument != NULL;
    for (;;) {
        lock(me);
        critical_section();
        unlock(me);
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
