/* Szymanski's lock for two threads, for ever, on volatile variables: a waiting room with two doors.
   0 outside, 1 wants in, 2 waits for the other in the room, 3 stands in the door, 4 the door behind is closed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int spot[2];

static atomic_int inside;

static void critical_section(void) {
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
}

static void enter(int me, int other) {
    spot[me] = 1;
    while (spot[other] > 2)
        ;
    spot[me] = 3;
    if (spot[other] == 1) {
        spot[me] = 2;
        while (spot[other] != 4)
            ;
    }
    spot[me] = 4;
}

/* The lower number goes first, and leaves when nobody stands between the doors. */
static void *low(void *argument) {
    (void)argument;
    for (;;) {
        enter(0, 1);
        critical_section();
        for (;;) {
            int there = spot[1];
            if (there != 2 && there != 3)
                break;
        }
        spot[0] = 0;
    }
    return NULL;
}

static void *high(void *argument) {
    (void)argument;
    for (;;) {
        enter(1, 0);
        while (spot[0] > 1)
            ;
        critical_section();
        spot[1] = 0;
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, low, NULL);
    pthread_create(&second, NULL, high, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
