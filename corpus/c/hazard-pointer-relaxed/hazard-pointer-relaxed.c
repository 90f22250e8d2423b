/* One hazard pointer; the announcement is a relaxed store. */
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
    struct node *node = atomic_load_explicit(&current, memory_order_relaxed);
    atomic_store_explicit(&hazard, node, memory_order_relaxed);
    if (atomic_load_explicit(&current, memory_order_acquire) == node)
        assert(node->value == 1 || node->value == 2);
    atomic_store_explicit(&hazard, NULL, memory_order_release);
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
