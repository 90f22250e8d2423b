/* The destructor of a key is taken for something that runs at the end of every thread. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

_Bool __VERIFIER_nondet_bool(void);

static pthread_key_t key;
static atomic_int ended;
static int anything;

static void count(void *value) {
    (void)value;
    atomic_fetch_add(&ended, 1);
}

static void *worker(void *unused) {
    if (__VERIFIER_nondet_bool())
        pthread_setspecific(key, &anything);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_key_create(&key, count);
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(atomic_load(&ended) == 2);
    return 0;
}
