/* A producer and a consumer with one slot and two semaphores. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t empty, full;
static int slot;

static void *produce(void *unused) {
    for (int i = 1; i <= 2; i++) {
        sem_wait(&empty);
        slot = i;
        sem_post(&full);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 1; i <= 2; i++) {
        sem_wait(&full);
        assert(slot == i);
        sem_post(&empty);
    }
    return unused;
}

int main(void) {
    pthread_t producer, consumer;
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    int left = -1;
    sem_getvalue(&empty, &left);
    assert(left == 1);
    return 0;
}
