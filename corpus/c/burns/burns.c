/* Burns' lock for two threads, for ever, on volatile variables: one bit each. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int up[2];

static atomic_int inside;

static void critical_section(void) {
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
}

/* Never gives way. */
static void *low(void *argument) {
    (void)argument;
    for (;;) {
        up[0] = 1;
        while (up[1])
            ;
        critical_section();
        up[0] = 0;
    }
    return NULL;
}

/* Gives way to the other. */
static void *high(void *argument) {
    (void)argument;
    for (;;) {
        up[1] = 0;
        if (up[0])
            continue;
        up[1] = 1;
        if (up[0])
            continue;
        critical_section();
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
