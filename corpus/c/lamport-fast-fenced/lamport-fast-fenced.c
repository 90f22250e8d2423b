/* Lamport's fast lock for two threads, for ever, with its fences. Thread i is i + 1 in x and y; 0 is nobody. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int x, y;
static volatile int trying[2];

static atomic_int inside;

static void critical_section(void) {
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
}

static void *worker(void *argument) {
    int me = argument != NULL;
    int other = 1 - me;
    for (;;) {
start:
        trying[me] = 1;
        x = me + 1;
        atomic_thread_fence(memory_order_seq_cst);
        if (y != 0) {
            trying[me] = 0;
            while (y != 0)
                ;
            goto start;
        }
        y = me + 1;
        atomic_thread_fence(memory_order_seq_cst);
        if (x != me + 1) {
            trying[me] = 0;
            while (trying[other])
                ;
            if (y != me + 1) {
                while (y != 0)
                    ;
                goto start;
            }
        }
        critical_section();
        y = 0;
        atomic_thread_fence(memory_order_release);
        trying[me] = 0;
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
