// A signal that nobody waits for orders nothing.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static volatile int x, y, r0, r1;
static pthread_cond_t a = PTHREAD_COND_INITIALIZER;

static void *left(void *arg) {
    x = 1;
    pthread_cond_signal(&a);
    r0 = y;
    return arg;
}

static void *right(void *arg) {
    y = 1;
    pthread_cond_broadcast(&a);
    r1 = x;
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
