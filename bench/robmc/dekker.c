/* Dekker's lock. Two threads increment a counter once each; no increment may be lost. */
#include <assert.h>
#include <pthread.h>

static volatile int wants[2], turn;
static volatile int counter;
/*@ declarations */

static void lock(int me) {
    int other = 1 - me;
    wants[me] = 1;
    while (wants[other]) {
        if (turn != me) {
            wants[me] = 0;
            while (turn != me)
                ;
            wants[me] = 1;
        }
    }
}

static void unlock(int me) {
    turn = 1 - me;
    wants[me] = 0;
}

static void *first(void *argument) {
    (void)argument;
    /*@ first */
    lock(0);
    counter = counter + 1;
    unlock(0);
    return NULL;
}

static void *second(void *argument) {
    (void)argument;
    /*@ second */
    lock(1);
    counter = counter + 1;
    unlock(1);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(counter == 2);
    /*@ end */
    return 0;
}
