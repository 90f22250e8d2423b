/* Chase and Lev's work-stealing deque. The owner puts in two tasks and takes one, a thief steals one: each gets a task that
 * was put in, and not the same one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top;
static volatile int bottom, tasks[2];
static volatile int taken, stolen;
/*@ declarations */

static void put(int task) {
    int b = bottom;
    tasks[b] = task;
    bottom = b + 1;
}

static int take(void) {
    int b = bottom - 1;
    bottom = b;
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t < b)
        return tasks[b];
    int task = 0;
    if (t == b && atomic_compare_exchange_strong(&top, &t, t + 1))
        task = tasks[b];
    bottom = b + 1;
    return task;
}

static int steal(void) {
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t >= bottom)
        return 0;
    int task = tasks[t];
    assert(task != 0);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : 0;
}

static void *first(void *argument) {
    (void)argument;
    /*@ first */
    put(1);
    put(2);
    taken = take();
    return NULL;
}

static void *second(void *argument) {
    (void)argument;
    /*@ second */
    if (steal() == 1)
        stolen = steal();
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(taken == 0 || taken != stolen);
    /*@ end */
    return 0;
}
