/* Three philosophers take the fork with the smaller number first; each counts its uses on the forks. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define SEATS 3

static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int uses[SEATS];

static void *dine(void *argument) {
    size_t left = (size_t)argument, right = (left + 1) % SEATS;
    size_t low = left < right ? left : right, high = left < right ? right : left;
    pthread_mutex_lock(&forks[low]);
    pthread_mutex_lock(&forks[high]);
    uses[low]++;
    uses[high]++;
    pthread_mutex_unlock(&forks[high]);
    pthread_mutex_unlock(&forks[low]);
    return NULL;
}

int main(void) {
    pthread_t threads[SEATS];
    for (size_t i = 0; i < SEATS; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (size_t i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < SEATS; i++)
        assert(uses[i] == 2);
    return 0;
}
