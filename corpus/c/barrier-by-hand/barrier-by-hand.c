/* A barrier that is a counter with relaxed increments. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int cells[2];
static atomic_int arrived;

static void *worker(void *argument) {
    int me = (int)(size_t)argument;
    cells[me] = 1;
    atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
    while (atomic_load_explicit(&arrived, memory_order_relaxed) < 2)
        ;
    assert(cells[1 - me] == 1);
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
