/* A release store orders what stands before it against all that follows, the relaxed flag as well. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int name, age, flag;

static void *writer(void *unused) {
    atomic_store_explicit(&name, 1, memory_order_relaxed);
    atomic_store_explicit(&age, 1, memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        assert(atomic_load_explicit(&name, memory_order_relaxed) == 1);
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
