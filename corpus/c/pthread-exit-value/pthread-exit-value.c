/* A thread ends in the middle of a recursion; its value comes out of the join. Another ends by returning. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

static int after;

static void descend(int depth) {
    if (depth == 0)
        pthread_exit((void *)7);
    descend(depth - 1);
    after++;
}

static void *deep(void *unused) {
    descend(3);
    return unused;
}

static void *shallow(void *argument) {
    return (void *)((intptr_t)argument + 1);
}

int main(void) {
    pthread_t threads[2];
    void *values[2];
    pthread_create(&threads[0], NULL, deep, NULL);
    pthread_create(&threads[1], NULL, shallow, (void *)8);
    for (int i = 1; i >= 0; i--)
        pthread_join(threads[i], &values[i]);
    assert((intptr_t)values[0] == 7);
    assert((intptr_t)values[1] == 9);
    assert(after == 0);
    return 0;
}
