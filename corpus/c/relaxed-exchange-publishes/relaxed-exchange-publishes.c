/* A relaxed exchange hands a new block over. It orders nothing: what was written to the block may arrive after its address. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
};

static _Atomic(struct node *) shared;

static void *writer(void *argument) {
    (void)argument;
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = 0;
    fresh->value = 42;
    atomic_exchange_explicit(&shared, fresh, memory_order_relaxed);
    return NULL;
}

static void *reader(void *argument) {
    (void)argument;
    struct node *seen = atomic_load_explicit(&shared, memory_order_acquire);
    if (seen) {
        int value = seen->value;
        assert(value == 42);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
