/* Peterson's lock for two threads, for ever, as it is often typed in from a book.
 *
 * Right under sequential consistency. On x86 (TSO) it is not: each thread looks at the other's flag while its own
 * announcement still waits in its store buffer. `fencewright fix examples/peterson.c --diff` shows the fence. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int flag[2];
static volatile int turn;
static atomic_int inside;

static void *worker(void *argument) {
    int me = argument != NULL;
    int other = 1 - me;
    for (;;) {
        flag[me] = 1;
        turn = other;
        while (flag[other] && turn == other)
            ;
        assert(atomic_fetch_add(&inside, 1) == 0); /* nobody else is here */
        atomic_fetch_sub(&inside, 1);
        flag[me] = 0;
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
