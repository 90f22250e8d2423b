/* A counter in thread-local storage, used by a recursion in two threads at once. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static _Thread_local int depth;
static int deepest;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void descend(int levels) {
    depth++;
    if (levels > 1)
        descend(levels - 1);
}

static void *worker(void *argument) {
    int levels = *(int *)argument;
    descend(levels);
    assert(depth == levels);
    pthread_mutex_lock(&mutex);
    if (depth > deepest)
        deepest = depth;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    int two = 2, three = 3;
    pthread_create(&first, NULL, worker, &two);
    pthread_create(&second, NULL, worker, &three);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(depth == 0 && deepest == 3);
    return 0;
}
