/* A thread gets the address of a local variable of a function that does not wait for it. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t worker;

static void *work(void *argument) {
    int number = *(int *)argument;
    assert(number == 5);
    return NULL;
}

static void start(void) {
    int number = 5;
    pthread_create(&worker, NULL, work, &number);
}

int main(void) {
    start();
    pthread_join(worker, NULL);
    return 0;
}
