/* When a join that does not wait succeeds, the thread has ended and all its writes can be seen. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static int x;

static void *work(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    int error;
    pthread_create(&thread, NULL, work, NULL);
    while ((error = pthread_tryjoin_np(thread, NULL)) == EBUSY)
        sched_yield();
    assert(error == 0 && x == 1);
    return 0;
}
