/* x86's locked instructions in the way of an atomic counter: each changes memory at once, and waits for all earlier writes.
 *
 * The three of them add 2, 1 and 1, so the counter ends as 4: nothing is lost, and `%1` is not the number 1. Both threads have
 * one between their write and their read of the other's, so one of them at least sees the other's write.
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
    atomic_inc(&total);
    saw_x = x;
    pthread_join(thread, 0);
    assert(total.counter == 4);
    assert(saw_x || saw_y);
    return 0;
}
