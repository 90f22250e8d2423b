/* Dekker's lock for two threads, for ever, on volatile variables. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int wants[2];
static volatile int turn;

static atomic_int inside;

static void critical_section(void) {
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
}

static void *worker(void *argument) {
    int me = argument != NULL;
    int other = 1 - me;
    for (;;) {
        wants[me] = 1;
        while (wants[other]) {
            if (turn != me) {
                wants[me] = 0;
                while (turn != me)
                    ;
                wants[me] = 1;
            }
        }
        critical_section();
        turn = other;
        wants[me] = 0;
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
