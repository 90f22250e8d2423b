/* A compare-and-exchange that is atomic by its name; its result is thrown away. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int sum;

int __VERIFIER_atomic_exchange_if(int *place, int expected, int wanted) {
    if (*place != expected)
        return 0;
    *place = wanted;
    return 1;
}

static void *add_one(void *unused) {
    int seen = sum;
    __VERIFIER_atomic_exchange_if(&sum, seen, seen + 1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, add_one, NULL);
    pthread_create(&second, NULL, add_one, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(sum == 2);
    return 0;
}
