// What a compare-and-exchange expects was computed from its own old value just before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn = 1;
static int last;

static void *look(void *arg) {
    int seen = atomic_load(&turn);
    assert(seen == 0 || seen == 1);
    return arg;
}

static void *work(void *arg) {
    int seen = 0;
    for (int i = 0; i < 2; i++) {
        seen = 1 - seen;
        atomic_compare_exchange_strong(&turn, &seen, i);
    }
    last = seen;
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, look, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(last == 0 && atomic_load(&turn) == 1);
    return 0;
}
