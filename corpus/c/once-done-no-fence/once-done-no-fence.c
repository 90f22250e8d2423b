// What has happened once is only looked at from then on.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static volatile int x, y, r0, r1;
static pthread_once_t a = PTHREAD_ONCE_INIT, b = PTHREAD_ONCE_INIT;
static void nothing(void) {}

static void *left(void *arg) {
    x = 1;
    pthread_once(&a, nothing);
    r0 = y;
    return arg;
}

static void *right(void *arg) {
    y = 1;
    pthread_once(&b, nothing);
    r1 = x;
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_once(&a, nothing);
    pthread_once(&b, nothing);
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
