// A struct is copied member by member, and what is copied is not copied again once the other thread has ended.
#include <assert.h>
#include <pthread.h>

struct part {
    signed char first;
    int second;
    unsigned third;
};

static struct part shared = {0, 2, 0};
static int seen;

static void *write_it(void *arg) {
    struct part mine = {2, 65535, 2};
    shared = mine;
    return arg;
}

static void *answer_it(void *arg) {
    if (shared.second == 65535) {
        shared.second = 7;
        seen = 1;
    }
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, write_it, 0);
    pthread_create(&threads[1], 0, answer_it, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(!seen || shared.second == 7);
    return 0;
}
