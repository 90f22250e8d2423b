/* A handler from a table is put in place by one thread and called by another. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

_Bool __VERIFIER_nondet_bool(void);

typedef int handler(int);

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }

static handler *const table[2] = {twice, thrice};
static handler *installed;
static atomic_bool ready;

static void *install(void *unused) {
    installed = table[__VERIFIER_nondet_bool()];
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *call(void *unused) {
    if (atomic_load_explicit(&ready, memory_order_acquire)) {
        int result = installed(5);
        assert(result == 10 || result == 15);
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, install, NULL);
    pthread_create(&second, NULL, call, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
