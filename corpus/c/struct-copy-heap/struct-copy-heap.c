// Allocated memory has no type, and its members are still copied one by one.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct four {
    int first, second, third, fourth;
};

static struct four *shared;

static void *write_all(void *arg) {
    struct four mine = {1, 1, 1, 1};
    *shared = mine;
    return arg;
}

int main(void) {
    pthread_t thread;
    shared = calloc(1, sizeof *shared);
    if (!shared) return 0;
    pthread_create(&thread, 0, write_all, 0);
    struct four mine = *shared;
    assert(mine.first == mine.second);
    pthread_join(thread, 0);
    free(shared);
    return 0;
}
