// A struct passed by value in memory is read member by member, too.
#include <assert.h>
#include <pthread.h>

struct parts {
    long first, second, third, fourth;
};

static struct parts shared;

__attribute__((noinline)) static int is_even(struct parts mine) {
    return mine.first == mine.second;
}

static void *write_all(void *arg) {
    struct parts mine = {1, 1, 1, 1};
    shared = mine;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_all, 0);
    assert(is_even(shared));
    pthread_join(thread, 0);
    return 0;
}
