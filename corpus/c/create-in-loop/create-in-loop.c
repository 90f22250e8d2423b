/* One, two or three threads, created and joined in loops; each gives back the address of its result. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define MOST 3

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int condition);

static unsigned cells[MOST];

static void *square(void *argument) {
    unsigned *cell = argument;
    *cell = *cell * *cell;
    return cell;
}

int main(void) {
    pthread_t threads[MOST];
    unsigned n = __VERIFIER_nondet_uint();
    __VERIFIER_assume(n >= 1 && n <= MOST);
    for (unsigned i = 0; i < n; i++) {
        cells[i] = i + 1;
        pthread_create(&threads[i], NULL, square, &cells[i]);
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        sum += *(unsigned *)result;
    }
    assert(sum == n * (n + 1) * (2 * n + 1) / 6);
    return 0;
}
