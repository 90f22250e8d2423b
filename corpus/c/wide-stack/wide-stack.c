/* The head of a stack is a pointer and a count in one word of sixteen bytes, exchanged at once. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct node {
    struct node *next;
};

struct head {
    struct node *first;
    uint64_t changes;
};

static _Alignas(16) _Atomic struct head top;
static struct node nodes[2];

static void *push(void *own) {
    struct node *node = own;
    struct head old = atomic_load(&top), new;
    do {
        node->next = old.first;
        new.first = node;
        new.changes = old.changes + 1;
    } while (!atomic_compare_exchange_strong(&top, &old, new));
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, push, &nodes[0]);
    pthread_create(&b, NULL, push, &nodes[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    struct head head = atomic_load(&top);
    int length = 0;
    for (struct node *node = head.first; node; node = node->next)
        length++;
    assert(head.changes == 2);
    assert(length == 2);
    return 0;
}
