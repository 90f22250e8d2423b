// A spin lock is given back by a plain store: a later read passes it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static volatile int x, y, r0, r1;
static pthread_spinlock_t a, b;

static void *left(void *arg) {
    x = 1;
    pthread_spin_unlock(&a);
    r0 = y;
    return arg;
}

static void *right(void *arg) {
    y = 1;
    pthread_spin_unlock(&b);
    r1 = x;
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_spin_init(&a, 0);
    pthread_spin_init(&b, 0);
    pthread_spin_lock(&a);
    pthread_spin_lock(&b);
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
