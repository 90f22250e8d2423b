/* Michael and Scott's queue with a dummy node: one thread enqueues 1 and 2, the other dequeues. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node nodes[3];
static _Atomic(struct node *) head = &nodes[0];
static _Atomic(struct node *) tail = &nodes[0];

static void enqueue(struct node *node, int value) {
    node->value = value;
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next != NULL) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static int dequeue(void) {
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (next == NULL)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else {
            int value = next->value;
            if (atomic_compare_exchange_strong(&head, &first, next))
                return value;
        }
    }
}

static void *producer(void *argument) {
    (void)argument;
    enqueue(&nodes[1], 1);
    enqueue(&nodes[2], 2);
    return NULL;
}

static void *consumer(void *argument) {
    (void)argument;
    int first = dequeue();
    int second = dequeue();
    if (first == 1)
        assert(second == 0 || second == 2);
    assert(first != 2);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, producer, (void *)0);
    pthread_create(&second, NULL, consumer, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
