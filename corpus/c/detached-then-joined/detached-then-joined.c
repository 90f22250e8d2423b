// Waiting for a thread that was detached returns at once with an error, so what it writes may come later.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *work(void *arg) {
    atomic_store(&done, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    pthread_join(thread, 0);
    assert(atomic_load(&done) == 1);
    return 0;
}
