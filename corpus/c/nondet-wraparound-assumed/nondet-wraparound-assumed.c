/* The number that has no successor is left out. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int condition);

static unsigned now, next;

static void *clock_hand(void *unused) {
    unsigned time = __VERIFIER_nondet_uint();
    __VERIFIER_assume(time + 1 != 0);
    now = time;
    next = time + 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, clock_hand, NULL);
    pthread_join(thread, NULL);
    assert(next > now);
    return 0;
}
