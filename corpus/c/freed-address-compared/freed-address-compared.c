// Whether a block is another one is asked by its address, and the address of a freed block may come again.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *cached;

static void *renew(void *unused) {
    (void)unused;
    int *old = cached;
    free(old);
    cached = malloc(sizeof *cached);
    assert(cached != old);
    return NULL;
}

int main(void) {
    cached = malloc(sizeof *cached);
    pthread_t thread;
    pthread_create(&thread, NULL, renew, NULL);
    pthread_join(thread, NULL);
    free(cached);
    return 0;
}
