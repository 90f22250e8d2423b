/* A recursion that takes a recursive mutex at every level. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex;
static int total;

static void add_down(int number) {
    pthread_mutex_lock(&mutex);
    total += number;
    if (number > 1)
        add_down(number - 1);
    pthread_mutex_unlock(&mutex);
}

static void *worker(void *unused) {
    add_down(2);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(total == 6);
    pthread_mutex_destroy(&mutex);
    return 0;
}
