/* A stack of two nodes of which one comes back while a pop is under way. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *_Atomic below;
};

static struct node nodes[2];
static struct node *_Atomic top;

static struct node *pop(void) {
    struct node *node = atomic_load(&top);
    while (node != NULL) {
        struct node *below = atomic_load(&node->below);
        if (atomic_compare_exchange_strong(&top, &node, below))
            break;
    }
    return node;
}

static void push(struct node *node) {
    struct node *below = atomic_load(&top);
    do
        atomic_store(&node->below, below);
    while (!atomic_compare_exchange_strong(&top, &below, node));
}

static void *pop_one(void *unused) {
    (void)unused;
    return pop();
}

static void *pop_two_push_one(void *unused) {
    (void)unused;
    struct node *first = pop();
    struct node *second = pop();
    if (first != NULL)
        push(first);
    return second;
}

int main(void) {
    pthread_t one, other;
    void *kept[2];
    push(&nodes[1]);
    push(&nodes[0]);
    pthread_create(&one, NULL, pop_one, NULL);
    pthread_create(&other, NULL, pop_two_push_one, NULL);
    pthread_join(one, &kept[0]);
    pthread_join(other, &kept[1]);
    if (kept[1] != NULL)
        assert(atomic_load(&top) != kept[1]);
    return 0;
}
