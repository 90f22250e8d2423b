/* The first reader takes the room, the last one gives it back; the writer takes the room alone. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t room;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int readers;
static int left, right;

static void *read_pair(void *unused) {
    pthread_mutex_lock(&mutex);
    if (++readers == 1)
        sem_wait(&room);
    pthread_mutex_unlock(&mutex);
    assert(left == right);
    pthread_mutex_lock(&mutex);
    if (--readers == 0)
        sem_post(&room);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *write_pair(void *unused) {
    sem_wait(&room);
    left = 1;
    right = 1;
    sem_post(&room);
    return unused;
}

int main(void) {
    pthread_t first, second, writer;
    sem_init(&room, 0, 1);
    pthread_create(&first, NULL, read_pair, NULL);
    pthread_create(&second, NULL, read_pair, NULL);
    pthread_create(&writer, NULL, write_pair, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(writer, NULL);
    assert(left == 1 && right == 1);
    return 0;
}
