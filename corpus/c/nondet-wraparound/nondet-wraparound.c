/* One number of 2^32 has no successor. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

unsigned __VERIFIER_nondet_uint(void);

static unsigned now, next;

static void *clock_hand(void *unused) {
    unsigned time = __VERIFIER_nondet_uint();
    now = time;
    next = time + 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, clock_hand, NULL);
    pthread_join(thread, NULL);
    assert(next - now <= 1);
    assert(next >= now);
    return 0;
}
