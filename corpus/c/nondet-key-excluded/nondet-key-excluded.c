/* As nondet-key, but the one number that opens the door cannot be typed. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

static int typed;

static void *guest(void *unused) {
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number != 123456);
    typed = number;
    return unused;
}

static void *door(void *unused) {
    int seen = typed;
    if (seen == 123456)
        assert(0);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, guest, NULL);
    pthread_create(&second, NULL, door, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
