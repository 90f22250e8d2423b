/* Szymanski's lock: an anteroom whose door is closed by the last who enters. Two threads increment a counter once each; no increment may be lost. */
#include <assert.h>
#include <pthread.h>

static volatile int stage[2];
static volatile int counter;
/*@ declarations */

static void lock(int me) {
    int other = 1 - me;
    stage[me] = 1;
    while (stage[other] >= 3)
        ;
    stage[me] = 3;
    if (stage[other] == 1) {
        stage[me] = 2;
        while (stage[other] != 4)
            ;
    }
    stage[me] = 4;
    if (me == 1)
        while (stage[other] >= 2)
            ;
}

static void unlock(int me) {
    if (me == 0)
        while (stage[1] == 2 || stage[1] == 3)
            ;
    stage[me] = 0;
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
