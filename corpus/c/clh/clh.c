/* CLH queue lock around plain data, twice each. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    atomic_int busy;
};

static struct node nodes[3];
static _Atomic(struct node *) tail = &nodes[2];

static int item;

/* The item is 1 only inside. */
static void critical_section(void) {
    assert(item == 0);
    item = 1;
    item = 0;
}

static void *worker(void *argument) {
    struct node *mine = &nodes[argument != NULL];
    for (int round = 0; round < 2; round++) {
        atomic_store_explicit(&mine->busy, 1, memory_order_relaxed);
        struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
        while (atomic_load_explicit(&before->busy, memory_order_acquire))
            ;
        critical_section();
        atomic_store_explicit(&mine->busy, 0, memory_order_release);
        mine = before;
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, (void *)0);
    pthread_create(&second, NULL, worker, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
