/* Double-checked initialisation under a mutex; the flag is set relaxed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int value;

static int get(void) {
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        pthread_mutex_lock(&mutex);
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            value = 42;
            atomic_store_explicit(&ready, 1, memory_order_relaxed);
        }
        pthread_mutex_unlock(&mutex);
    }
    return value;
}

static void *user(void *argument) {
    (void)argument;
    assert(get() == 42);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, user, (void *)0);
    pthread_create(&second, NULL, user, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
