/* Whether there is room for an addition, and the addition, are not one step. */
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>

static int total = INT_MAX - 3;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused) {
    pthread_mutex_lock(&mutex);
    _Bool fits = total <= INT_MAX - 2;
    pthread_mutex_unlock(&mutex);
    if (fits) {
        pthread_mutex_lock(&mutex);
        total += 2;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, add, NULL);
    pthread_create(&second, NULL, add, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(total >= INT_MAX - 3);
    return 0;
}
