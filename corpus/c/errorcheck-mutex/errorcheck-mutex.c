/* An error-checking mutex answers all wrong uses, and they change nothing. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex;
static int inside;

static void *holder(void *unused) {
    assert(pthread_mutex_lock(&mutex) == 0);
    inside = 1;
    assert(pthread_mutex_lock(&mutex) == EDEADLK);
    assert(inside == 1);
    inside = 0;
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    return unused;
}

static void *intruder(void *unused) {
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&first, NULL, holder, NULL);
    pthread_create(&second, NULL, intruder, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
