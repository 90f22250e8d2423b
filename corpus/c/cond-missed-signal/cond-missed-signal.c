/* The flag is set, and the signal sent, without the mutex. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool ready;

static void *wait_for_it(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&ready))
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *say_it(void *unused) {
    atomic_store(&ready, 1);
    pthread_cond_signal(&changed);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, wait_for_it, NULL);
    pthread_create(&second, NULL, say_it, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
