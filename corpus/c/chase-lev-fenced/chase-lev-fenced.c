/* Work-stealing deque: the owner puts in two tasks and takes one, a thief steals, with its fences. Tasks must not be done twice. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top, bottom;
static atomic_int tasks[2];
static atomic_int done[3];

static void perform(int task) {
    assert(task != 0);
    assert(atomic_exchange(&done[task], 1) == 0);
}

static void put(int task) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&tasks[b], task, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t < b)
        return atomic_load_explicit(&tasks[b], memory_order_relaxed);
    int task = 0;
    if (t == b && atomic_compare_exchange_strong(&top, &t, t + 1))
        task = atomic_load_explicit(&tasks[b], memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return task;
}

static int steal(void) {
    int t = atomic_load_explicit(&top, memory_order_acquire);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return 0;
    int task = atomic_load_explicit(&tasks[t], memory_order_relaxed);
    assert(task != 0);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : 0;
}

static void *owner(void *argument) {
    (void)argument;
    put(1);
    put(2);
    int task = take();
    if (task != 0)
        perform(task);
    return NULL;
}

static void *thief(void *argument) {
    (void)argument;
    for (int attempt = 0; attempt < 2; attempt++) {
        int task = steal();
        if (task != 0)
            perform(task);
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, owner, (void *)0);
    pthread_create(&second, NULL, thief, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
