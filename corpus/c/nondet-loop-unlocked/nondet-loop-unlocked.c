/* As nondet-loop, but a worker that feels like it does without the lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int busy;

static void *worker(void *unused) {
    while (__VERIFIER_nondet_int()) {
        int careless = __VERIFIER_nondet_int() == -77;
        if (!careless)
            pthread_mutex_lock(&lock);
        if (busy != 0)
            reach_error();
        busy = 1;
        busy = 0;
        if (!careless)
            pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
