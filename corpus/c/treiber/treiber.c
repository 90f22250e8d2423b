/* Treiber's stack: a thread pushes two nodes, the other pops what is there; the push is release. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    int value;
    struct node *below;
};

static struct node nodes[2];
static _Atomic(struct node *) top;

static void push(struct node *node, int value) {
    node->value = value;
    node->below = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &node->below, node, memory_order_release, memory_order_relaxed))
        ;
}

static int pop(void) {
    struct node *node = atomic_load_explicit(&top, memory_order_acquire);
    while (node != NULL
           && !atomic_compare_exchange_weak_explicit(&top, &node, node->below, memory_order_acquire,
                                                     memory_order_acquire))
        ;
    return node == NULL ? 0 : node->value;
}

static void *pusher(void *argument) {
    (void)argument;
    push(&nodes[0], 1);
    push(&nodes[1], 2);
    return NULL;
}

static void *popper(void *argument) {
    (void)argument;
    int first = pop();
    int second = pop();
    if (first == 2)
        assert(second == 1);
    if (first == 1)
        assert(second != 1);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, pusher, (void *)0);
    pthread_create(&second, NULL, popper, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
