// A thread is let go once. The second time it is an error, as it is for a thread that was joined.
#include <assert.h>
#include <pthread.h>

static void *work(void *arg) {
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    assert(pthread_detach(thread) == 0);
    assert(pthread_detach(thread) != 0);
}
