// Store buffering with a plain variable on one side: the atomic read behind it does not wait for it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int plain, a, b;
static atomic_int flag;

static void *left(void *unused) {
    plain = 1;
    a = atomic_load_explicit(&flag, memory_order_relaxed);
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    b = plain;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, left, 0);
    pthread_create(&second, 0, right, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(a == 1 || b == 1);
    return 0;
}
