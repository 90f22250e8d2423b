/* A detached thread leaves its answer and a flag; main waits for the flag. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static int answer;
static atomic_bool done;

static void *work(void *unused) {
    answer = 42;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
    while (!atomic_load_explicit(&done, memory_order_acquire))
        sched_yield();
    assert(answer == 42);
    return 0;
}
