/* "The pointer is the same, so nothing has changed", across a free and a malloc. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic block;
static atomic_int version;

static void *watch(void *unused) {
    int *before = atomic_load(&block);
    int first = atomic_load(&version);
    int second = atomic_load(&version);
    int *after = atomic_load(&block);
    if (before != NULL && before == after)
        assert(first == second);
    return unused;
}

static void *renew(void *unused) {
    free(atomic_exchange(&block, NULL));
    atomic_store(&version, 1);
    atomic_store(&block, malloc(sizeof(int)));
    return unused;
}

int main(void) {
    pthread_t first, second;
    atomic_store(&block, malloc(sizeof(int)));
    pthread_create(&first, NULL, watch, NULL);
    pthread_create(&second, NULL, renew, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
