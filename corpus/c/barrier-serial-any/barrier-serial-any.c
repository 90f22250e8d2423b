/* Which thread a barrier singles out is not said: it need not be the one that has arrived last. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static atomic_int arrived;

static void *meet(void *unused) {
    int is_last = atomic_fetch_add(&arrived, 1) == 1;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        assert(is_last);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, meet, NULL);
    pthread_create(&b, NULL, meet, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
