/* A reader that finds nothing wants to write and does not give back its lock for reading first. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *find_or_put(void *unused) {
    pthread_rwlock_rdlock(&lock);
    if (value == 0) {
        int error = pthread_rwlock_wrlock(&lock);
        assert(error == 0);
        value = 1;
    }
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, find_or_put, NULL);
    pthread_create(&second, NULL, find_or_put, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
