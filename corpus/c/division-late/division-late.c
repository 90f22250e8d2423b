/* A number of parts that is set before a flag, and divided by after it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int parts;
static atomic_int known;
static int share;

static void *decide(void *unused) {
    parts = 4;
    atomic_store_explicit(&known, 1, memory_order_relaxed);
    return unused;
}

static void *divide(void *unused) {
    if (atomic_load_explicit(&known, memory_order_acquire))
        share = 100 / parts;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, decide, NULL);
    pthread_create(&second, NULL, divide, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(share == 0 || share == 25);
    return 0;
}
