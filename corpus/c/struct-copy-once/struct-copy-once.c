// A struct is copied member by member, and what is copied is not copied again: the second member never comes before the first.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct part {
    signed char first;
    int second;
    unsigned third;
};

static struct part shared = {0, 2, 0};
static atomic_int round_;
static int seen, rounds;

static void *read_it(void *arg) {
    struct part mine = shared;
    int none = 0;
    seen = mine.second;
    atomic_compare_exchange_strong_explicit(&round_, &none, 0, memory_order_relaxed, memory_order_relaxed);
    rounds = none;
    return arg;
}

static void *write_low(void *arg) {
    struct part mine = {3, 255, 1};
    atomic_store_explicit(&round_, 1, memory_order_release);
    shared = mine;
    return arg;
}

static void *write_high(void *arg) {
    struct part mine = {2, 65535, 2};
    atomic_store_explicit(&round_, 0, memory_order_release);
    shared = mine;
    return arg;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, read_it, 0);
    pthread_create(&threads[1], 0, write_low, 0);
    pthread_create(&threads[2], 0, write_high, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    assert(!(seen == 65535 && rounds == 0 && shared.first == 2 && atomic_load(&round_) == 1));
    return 0;
}
