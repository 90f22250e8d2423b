/* A thread that has done all its work need not have ended: a join that does not wait may still say so. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static int x;

static void *work(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (pthread_tryjoin_np(thread, NULL) == EBUSY)
        assert(x == 0);
    return 0;
}
