/* A spin lock that is an atomic_flag, cleared with relaxed order. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int sum;

static void *add(void *unused) {
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
    sum++;
    atomic_flag_clear_explicit(&busy, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, add, NULL);
    pthread_create(&second, NULL, add, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(sum == 2);
    return 0;
}
