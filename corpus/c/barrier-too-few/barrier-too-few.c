/* A thread that gives up does not tell the barrier. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static atomic_bool cancelled;

static void *first_half(void *unused) {
    if (atomic_load(&cancelled))
        return NULL;
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *second_half(void *unused) {
    atomic_store(&cancelled, 1);
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&first, NULL, first_half, NULL);
    pthread_create(&second, NULL, second_half, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
