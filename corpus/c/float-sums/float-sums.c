/* Two threads add to a sum of floating-point numbers under a mutex. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double sum;

static void *add(void *argument) {
    double part = 1.0 / *(int *)argument;
    pthread_mutex_lock(&mutex);
    sum += part;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    int two = 2, four = 4;
    pthread_create(&first, NULL, add, &two);
    pthread_create(&second, NULL, add, &four);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(sum == 0.75);
    assert((int)(sum * 10.0) == 7);
    float single = 0.1f;
    assert((double)single != 0.1);
    double zero = sum - 0.75;
    double nothing = zero / zero;
    assert(nothing != nothing && !(nothing < 1.0));
    return 0;
}
