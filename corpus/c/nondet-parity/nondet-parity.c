/* Halves and rests of any number, and its lowest bit, fit together. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int __VERIFIER_nondet_int(void);

static int half, rest, whole, bit;

static void *split(void *unused) {
    int number = __VERIFIER_nondet_int();
    whole = number;
    half = number / 2;
    rest = number % 2;
    bit = number & 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, split, NULL);
    pthread_join(thread, NULL);
    assert(half + half + rest == whole);
    assert(rest >= -1 && rest <= 1);
    assert(bit == (rest != 0));
    if (whole > 0)
        assert(rest >= 0 && half <= 1073741823);
    return 0;
}
