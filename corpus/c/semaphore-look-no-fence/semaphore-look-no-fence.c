// Looking at a semaphore, and trying one that has nothing, changes nothing and orders nothing.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static volatile int x, y, r0, r1;
static sem_t a, b;

static void *left(void *arg) {
    x = 1;
    int left_over; sem_getvalue(&a, &left_over); sem_trywait(&a);
    r0 = y;
    return arg;
}

static void *right(void *arg) {
    y = 1;
    int left_over; sem_getvalue(&b, &left_over); sem_trywait(&b);
    r1 = x;
    return arg;
}

int main(void) {
    pthread_t one, two;
    sem_init(&a, 0, 0);
    sem_init(&b, 0, 0);
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(r0 == 1 || r1 == 1);
    return 0;
}
