/* Lamport's fast lock. Thread i is i + 1 in x and y; 0 is nobody. Two threads increment a counter once each; no increment may be lost. */
#include <assert.h>
#include <pthread.h>

static volatile int x, y, trying[2];
static volatile int counter;
/*@ declarations */

static void lock(int me) {
    int other = 1 - me;
start:
    trying[me] = 1;
    x = me + 1;
    if (y != 0) {
        trying[me] = 0;
        while (y != 0)
            ;
        goto start;
    }
    y = me + 1;
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
}

static void unlock(int me) {
    y = 0;
    trying[me] = 0;
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
