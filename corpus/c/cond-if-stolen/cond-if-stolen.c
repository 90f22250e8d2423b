/* Two consumers, one of them main, and one producer of two items; waiting is under an if. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int stock;

static void *consume(void *unused) {
    pthread_mutex_lock(&mutex);
    if (stock == 0)
        pthread_cond_wait(&filled, &mutex);
    stock--;
    assert(stock >= 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *produce(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        stock++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    consume(NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
