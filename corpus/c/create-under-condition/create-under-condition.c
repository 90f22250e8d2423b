/* The second thread is created and joined only if the environment says so. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

_Bool __VERIFIER_nondet_bool(void);

static atomic_int raised[2];
static int saw[2];

static void *raise_and_look(void *argument) {
    size_t me = (size_t)argument;
    atomic_store_explicit(&raised[me], 1, memory_order_relaxed);
    saw[me] = atomic_load_explicit(&raised[1 - me], memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    _Bool both = __VERIFIER_nondet_bool();
    pthread_create(&first, NULL, raise_and_look, (void *)0);
    if (both)
        pthread_create(&second, NULL, raise_and_look, (void *)1);
    pthread_join(first, NULL);
    if (both) {
        pthread_join(second, NULL);
        assert(saw[0] || saw[1]);
    }
    return 0;
}
