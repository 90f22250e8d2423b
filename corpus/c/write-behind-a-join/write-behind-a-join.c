/* The last thread has read the flag when main writes it, and may write the result after main has joined the first thread and
   written the result, too: a join orders only what the joined thread did. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static atomic_int result;

static void *first(void *argument) {
    (void)argument;
    atomic_fetch_add(&flag, 2);
    return NULL;
}

static void *last(void *argument) {
    (void)argument;
    if (atomic_load(&flag) == 2) {
        atomic_store_explicit(&result, 1, memory_order_relaxed);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, last, NULL);
    atomic_store(&flag, 3);
    pthread_join(a, NULL);
    atomic_store_explicit(&result, 3, memory_order_relaxed);
    pthread_join(b, NULL);
    assert(atomic_load(&result) == 3);
    return 0;
}
