/* Lamport's bakery for two threads, once each. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int choosing[2];
static volatile int number[2];

static atomic_int inside;

static void critical_section(void) {
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
}

static void *customer(void *argument) {
    int me = argument != NULL;
    int other = 1 - me;
    choosing[me] = 1;
    number[me] = number[other] + 1;
    choosing[me] = 0;
    while (choosing[other])
        ;
    while (number[other] != 0 && (number[other] < number[me] || (number[other] == number[me] && other < me)))
        ;
    critical_section();
    number[me] = 0;
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, customer, (void *)0);
    pthread_create(&second, NULL, customer, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
