/* A release store does not order itself against the store that follows. The error is an abort. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int name, age, flag;

static void *writer(void *unused) {
    atomic_store_explicit(&name, 1, memory_order_relaxed);
    atomic_store_explicit(&age, 1, memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_relaxed) && !atomic_load_explicit(&age, memory_order_relaxed))
        abort();
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
