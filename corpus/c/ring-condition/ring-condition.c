/* A ring of two places, three numbers, and a condition variable for each side. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define PLACES 2
#define NUMBERS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int ring[PLACES];
static unsigned put, taken;

static void *produce(void *unused) {
    for (int i = 0; i < NUMBERS; i++) {
        pthread_mutex_lock(&mutex);
        while (put - taken == PLACES)
            pthread_cond_wait(&not_full, &mutex);
        ring[put++ % PLACES] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 0; i < NUMBERS; i++) {
        pthread_mutex_lock(&mutex);
        while (put == taken)
            pthread_cond_wait(&not_empty, &mutex);
        assert(ring[taken++ % PLACES] == i);
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
