/* Two mutexes taken in opposite orders; the second one is only tried. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void take_both(pthread_mutex_t *one, pthread_mutex_t *other) {
again:
    pthread_mutex_lock(one);
    if (pthread_mutex_trylock(other) != 0) {
        pthread_mutex_unlock(one);
        goto again;
    }
}

static void *from_left(void *unused) {
    take_both(&left, &right);
    count++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return unused;
}

static void *from_right(void *unused) {
    take_both(&right, &left);
    count++;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, from_left, NULL);
    pthread_create(&second, NULL, from_right, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(count == 2);
    return 0;
}
