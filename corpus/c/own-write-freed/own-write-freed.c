/* A thread writes to memory and frees it at once: an allocator hands memory on in order, so that write harms nobody. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) slot;

static void *put(void *unused) {
    int *own = malloc(sizeof *own);
    *own = 1;
    int *other = atomic_exchange(&slot, own);
    if (other) {
        *other = 2;
        free(other);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, put, NULL);
    pthread_create(&b, NULL, put, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(slot);
    return 0;
}
