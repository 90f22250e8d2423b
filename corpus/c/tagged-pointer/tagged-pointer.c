/* A list whose head has a lock in the lowest bit of the pointer. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct node {
    int value;
    struct node *next;
};

static struct node nodes[2] = {{3, NULL}, {4, NULL}};
static atomic_uintptr_t head;

static void *push(void *argument) {
    struct node *node = argument;
    uintptr_t seen;
    assert(((uintptr_t)node & 1) == 0);
    do {
        seen = atomic_load_explicit(&head, memory_order_relaxed) & ~(uintptr_t)1;
    } while (!atomic_compare_exchange_strong_explicit(&head, &seen, seen | 1, memory_order_acquire,
                                                      memory_order_relaxed));
    node->next = (struct node *)seen;
    atomic_store_explicit(&head, (uintptr_t)node, memory_order_release);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, push, &nodes[0]);
    pthread_create(&second, NULL, push, &nodes[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    struct node *top = (struct node *)atomic_load(&head);
    assert(top->value + top->next->value == 7);
    assert(top->next->next == NULL);
    return 0;
}
