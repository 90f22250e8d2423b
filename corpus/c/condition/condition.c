/* A value handed over under a mutex; the reader waits for it with a condition variable, in a loop. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int is_filled;
static int value;

static void *reader(void *argument) {
    (void)argument;
    pthread_mutex_lock(&mutex);
    while (!is_filled)
        pthread_cond_wait(&filled, &mutex);
    assert(value == 1);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *writer(void *argument) {
    (void)argument;
    pthread_mutex_lock(&mutex);
    is_filled = 1;
    value = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, writer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
