/* MCS queue lock around plain data, twice each; the hand-over is release. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

static _Atomic(struct node *) tail;
static struct node nodes[2];

static int item;

/* The item is 1 only inside. */
static void critical_section(void) {
    assert(item == 0);
    item = 1;
    item = 0;
}

static void lock(struct node *mine) {
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
    if (before != NULL) {
        atomic_store_explicit(&before->next, mine, memory_order_release);
        while (atomic_load_explicit(&mine->waits, memory_order_acquire))
            ;
    }
}

static void unlock(struct node *mine) {
    struct node *behind = atomic_load_explicit(&mine->next, memory_order_acquire);
    if (behind == NULL) {
        struct node *expected = mine;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while ((behind = atomic_load_explicit(&mine->next, memory_order_acquire)) == NULL)
            ;
    }
    atomic_store_explicit(&behind->waits, 0, memory_order_release);
}

static void *worker(void *argument) {
    struct node *mine = &nodes[argument != NULL];
    for (int round = 0; round < 2; round++) {
        lock(mine);
        critical_section();
        unlock(mine);
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
