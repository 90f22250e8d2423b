/* main returns and keeps the mutex for which its thread waits. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *unused) {
    pthread_mutex_lock(&gate);
    assert(0);
    return unused;
}

int main(void) {
    pthread_t waiter;
    pthread_mutex_lock(&gate);
    pthread_create(&waiter, NULL, wait_at_gate, NULL);
    return 0;
}
