/* A block from malloc is filled and published by a relaxed store. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct block {
    int number;
};

static struct block *_Atomic published;

static void *publish(void *unused) {
    struct block *block = malloc(sizeof *block);
    block->number = 3;
    atomic_store_explicit(&published, block, memory_order_relaxed);
    return unused;
}

static void *read_number(void *unused) {
    struct block *block = atomic_load_explicit(&published, memory_order_acquire);
    if (block != NULL && block->number <= 0)
        abort();
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, publish, NULL);
    pthread_create(&second, NULL, read_number, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
