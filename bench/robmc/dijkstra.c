/* Dijkstra's lock. A thread is idle (0), interested (1) or about to enter (2). It goes back to the beginning when it has taken
 * the turn, and when it meets the other at the door; here thrice at most, since that may go on for ever. Two threads increment
 * a counter once each if they get in; no increment may be lost. */
#include <assert.h>
#include <pthread.h>

static volatile int stage[2], turn;
static volatile int counter, missed[2];
/*@ declarations */

static int lock(int me) {
    int other = 1 - me;
    for (int attempt = 0; attempt < 3; attempt++) {
        stage[me] = 1;
        while (turn != me && stage[other] != 0)
            ;
        if (turn != me) {
            turn = me;
        } else {
            stage[me] = 2;
            if (stage[other] != 2)
                return 1;
        }
    }
    return 0;
}

static void unlock(int me) {
    stage[me] = 0;
}

static void *first(void *argument) {
    (void)argument;
    /*@ first */
    if (lock(0))
        counter = counter + 1;
    else
        missed[0] = 1;
    unlock(0);
    return NULL;
}

static void *second(void *argument) {
    (void)argument;
    /*@ second */
    if (lock(1))
        counter = counter + 1;
    else
        missed[1] = 1;
    unlock(1);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(counter + missed[0] + missed[1] == 2);
    /*@ end */
    return 0;
}
