// Allocated memory that is copied whole, by two threads, under a lock.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct four {
    int first, second, third, fourth;
};

static struct four *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *write_all(void *arg) {
    struct four mine = {1, 1, 1, 1};
    pthread_mutex_lock(&lock);
    *shared = mine;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    shared = calloc(1, sizeof *shared);
    if (!shared) return 0;
    pthread_create(&thread, 0, write_all, 0);
    pthread_mutex_lock(&lock);
    struct four mine = *shared;
    pthread_mutex_unlock(&lock);
    assert(mine.first == mine.second);
    pthread_join(thread, 0);
    free(shared);
    return 0;
}
