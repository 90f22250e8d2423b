/* A sum of two signed numbers that need not fit: what it is then is not defined, and the test hangs on it. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int __VERIFIER_nondet_int(void);

static int base;

static void *choose(void *unused) {
    base = __VERIFIER_nondet_int();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, choose, NULL);
    pthread_join(thread, NULL);
    assert(base + 1 > base);
    return 0;
}
