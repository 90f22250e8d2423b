// A structure that is passed by value is the callee's own, however large it is.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

struct record {
    uint64_t first, second;
    int8_t third;
};

static struct record shared = {1, 2, 3};
static int result;

static int consume(struct record own) {
    own.third = 0;
    return own.third;
}

static void *worker(void *unused) {
    struct record mine = {1, 2, 3};
    result = consume(mine) + consume(shared) + mine.third;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(result == 3);
    assert(shared.third == 3);
    return 0;
}
