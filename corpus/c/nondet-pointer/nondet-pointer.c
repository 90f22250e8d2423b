/* A pointer that the environment gives, handed over with a flag. It is compared and never followed. */
#include <pthread.h>
#include <stdlib.h>

void *__VERIFIER_nondet_pointer(void);
void reach_error(void) { abort(); }

static void *sent;
static void *slot;
static int full;

static void *sender(void *unused) {
    slot = sent;
    full = 1;
    return unused;
}

static void *receiver(void *unused) {
    if (full && slot != sent)
        reach_error();
    return unused;
}

int main(void) {
    pthread_t first, second;
    sent = __VERIFIER_nondet_pointer();
    pthread_create(&first, NULL, sender, NULL);
    pthread_create(&second, NULL, receiver, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
