/* One hazard pointer: the writer does not free what the reader has announced. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
};

static struct node *_Atomic current;
static struct node *_Atomic hazard;

static struct node *new_node(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    return node;
}

static void *reader(void *unused) {
    struct node *node = atomic_load(&current);
    atomic_store(&hazard, node);
    if (atomic_load(&current) == node)
        assert(node->value == 1 || node->value == 2);
    atomic_store(&hazard, NULL);
    return unused;
}

static void *writer(void *unused) {
    struct node *old = atomic_exchange(&current, new_node(2));
    if (atomic_load(&hazard) != old)
        free(old);
    return unused;
}

int main(void) {
    pthread_t first, second;
    atomic_store(&current, new_node(1));
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, writer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
