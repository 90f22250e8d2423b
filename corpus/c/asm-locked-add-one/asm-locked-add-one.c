/* The wrong twin of asm-locked-add: main has no locked instruction between its write and its read.
 *
 * Its write of `y` can still be on its way while it reads `x` as 0; the worker reads `y` as 0 in the meantime. Under SC one of
 * the two writes comes first, and the other's reader sees it.
 */
#include <assert.h>
#include <pthread.h>

typedef struct {
    int counter;
} atomic_t;

static atomic_t total;
static int x, y, saw_x, saw_y;

static void atomic_add(int amount, atomic_t *v) {
    __asm__ __volatile__("lock; addl %1,%0" : "+m"(v->counter) : "ir"(amount));
}

static void atomic_inc(atomic_t *v) {
    __asm__ __volatile__("lock; incl %0" : "=m"(v->counter) : "m"(v->counter) : "memory");
}

static void *worker(void *unused) {
    (void)unused;
    atomic_add(2, &total);
    x = 1;
    atomic_add(1, &total);
    saw_y = y;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    y = 1;
    saw_x = x;
    atomic_inc(&total);
    pthread_join(thread, 0);
    assert(total.counter == 4);
    assert(saw_x || saw_y);
    return 0;
}
