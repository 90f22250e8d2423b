// What a destructor asserts is set by a thread that nobody waits for.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

__attribute__((destructor)) static void check(void) { assert(atomic_load(&done) == 1); }

static void *work(void *arg) {
    atomic_store(&done, 1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    return 0;
}
