// Store buffering with a read-modify-write of memory that nobody else has in between. Under TSO it waits for all of the
// thread's pending writes, whatever it is done to; under PSO a relaxed one waits for those to its own location only.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int r0, r1;
static atomic_int own_left, own_right; // Each is used by one thread only.

static void *left(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&own_left, 1, memory_order_relaxed);
    r0 = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&own_right, 1, memory_order_relaxed);
    r1 = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(r0 || r1);
    return 0;
}
