/* Dijkstra's lock for two threads, for ever, on volatile variables. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int gate;
static volatile int asking[2];
static volatile int past[2];

static atomic_int inside;

static void critical_section(void) {
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
}

static void *worker(void *argument) {
    int me = argument != NULL;
    int other = 1 - me;
    for (;;) {
        asking[me] = 1;
        for (;;) {
            if (gate != me) {
                past[me] = 0;
                if (!asking[other])
                    gate = me;
                continue;
            }
            past[me] = 1;
            if (!past[other])
                break;
        }
        critical_section();
        past[me] = 0;
        asking[me] = 0;
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
