/* Michael and Scott's queue; who takes an element frees the dummy before it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *_Atomic next;
    int value;
};

static struct node *_Atomic head;
static struct node *_Atomic tail;

static struct node *new_node(int value) {
    struct node *node = malloc(sizeof *node);
    atomic_init(&node->next, NULL);
    node->value = value;
    return node;
}

static void enqueue(int value) {
    struct node *node = new_node(value);
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next != NULL)
            atomic_compare_exchange_strong(&tail, &last, next);
        else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static int dequeue(void) {
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *next = atomic_load(&first->next);
        if (next == NULL)
            return 0;
        int value = next->value;
        if (atomic_compare_exchange_strong(&head, &first, next)) {
            free(first);
            return value;
        }
    }
}

static void *put(void *unused) {
    enqueue(1);
    return unused;
}

static void *put_and_take(void *unused) {
    enqueue(2);
    dequeue();
    return unused;
}

int main(void) {
    pthread_t first, second;
    struct node *dummy = new_node(0);
    atomic_store(&head, dummy);
    atomic_store(&tail, dummy);
    pthread_create(&first, NULL, put, NULL);
    pthread_create(&second, NULL, put_and_take, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
