/* A number of 32 bits is stored by one thread and read by another. One number of all opens the door. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int __VERIFIER_nondet_int(void);

static int typed;

static void *guest(void *unused) {
    typed = __VERIFIER_nondet_int();
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
