/* Two phases with a barrier between them: write one's own cell, then read the other's. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static int cells[2];
static atomic_int serial;

static void *worker(void *argument) {
    int me = (int)(size_t)argument;
    cells[me] = me + 10;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&serial, 1);
    assert(cells[1 - me] == 1 - me + 10);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&first, NULL, worker, (void *)0);
    pthread_create(&second, NULL, worker, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_barrier_destroy(&barrier);
    assert(atomic_load(&serial) == 1);
    return 0;
}
