/* Publication as in RCU: a new version is filled in, then the pointer is moved; the pointer is stored release. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct version {
    int left, right;
};

static struct version versions[2];
static _Atomic(struct version *) current = &versions[0];

static void *updater(void *argument) {
    (void)argument;
    versions[1].left = 7;
    versions[1].right = 7;
    atomic_store_explicit(&current, &versions[1], memory_order_release);
    return NULL;
}

static void *reader(void *argument) {
    (void)argument;
    for (;;) {
        struct version *seen = atomic_load_explicit(&current, memory_order_acquire);
        assert(seen->left == seen->right);
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, updater, (void *)0);
    pthread_create(&second, NULL, reader, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
