/* Treiber's stack with nodes from the heap; whoever pops a node frees it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *below;
};

static struct node *_Atomic top;

static void push(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->below = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &node->below, node))
        ;
}

static int pop(void) {
    struct node *node = atomic_load(&top);
    while (node != NULL && !atomic_compare_exchange_weak(&top, &node, node->below))
        ;
    if (node == NULL)
        return 0;
    int value = node->value;
    free(node);
    return value;
}

static void *popper(void *unused) {
    int value = pop();
    assert(value == 1 || value == 2);
    return unused;
}

int main(void) {
    pthread_t first, second;
    push(1);
    push(2);
    pthread_create(&first, NULL, popper, NULL);
    pthread_create(&second, NULL, popper, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
