/* The consumer takes the mutex before it knows that there is something to take. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t mutex, items;
static int stock;

static void *produce(void *unused) {
    sem_wait(&mutex);
    stock++;
    sem_post(&mutex);
    sem_post(&items);
    return unused;
}

static void *consume(void *unused) {
    sem_wait(&mutex);
    sem_wait(&items);
    stock--;
    sem_post(&mutex);
    return unused;
}

int main(void) {
    pthread_t producer, consumer;
    sem_init(&mutex, 0, 1);
    sem_init(&items, 0, 0);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
