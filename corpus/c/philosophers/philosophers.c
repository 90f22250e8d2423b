/* Three philosophers take the left fork, then the right one. */
#include <pthread.h>
#include <stddef.h>

#define SEATS 3

static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int meals[SEATS];

static void *dine(void *argument) {
    int seat = (int)(size_t)argument;
    pthread_mutex_lock(&forks[seat]);
    pthread_mutex_lock(&forks[(seat + 1) % SEATS]);
    meals[seat]++;
    pthread_mutex_unlock(&forks[(seat + 1) % SEATS]);
    pthread_mutex_unlock(&forks[seat]);
    return NULL;
}

int main(void) {
    pthread_t threads[SEATS];
    for (size_t i = 0; i < SEATS; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (size_t i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
