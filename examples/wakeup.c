/* A sleeper and its waker, as in a latch: the sleeper says that it will sleep, looks once more whether there is
 * work, and sleeps if there is none; the waker makes work and wakes whoever said that it sleeps.
 *
 * Does everyone who waits get on? Under TSO both may look while their own announcement still waits in the store
 * buffer: the wake-up is lost, and the sleeper sleeps for ever, although every write reaches memory in the end.
 * `fencewright fix examples/wakeup.c --ltl 'F sleeper.end' --fairness process --diff` shows the fences. */
#include <pthread.h>

static volatile int work, sleeping, wake;

static void *sleeper(void *argument) {
    (void)argument;
    sleeping = 1;
    if (!work)
        while (!wake)
            ;
    return NULL;
}

static void *waker(void *argument) {
    (void)argument;
    work = 1;
    if (sleeping)
        wake = 1;
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, sleeper, NULL);
    pthread_create(&second, NULL, waker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
