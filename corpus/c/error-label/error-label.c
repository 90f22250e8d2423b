/* A message with a length; a wrong one jumps to ERROR. The sender may decide not to send. */
#include <pthread.h>
#include <stdlib.h>

_Bool __VERIFIER_nondet_bool(void);
void reach_error(void) { abort(); }

static int length;
static int raised;

static void *sender(void *unused) {
    if (__VERIFIER_nondet_bool())
        goto nothing;
    length = 2;
    raised = 1;
nothing:
    return unused;
}

static void *receiver(void *unused) {
    int items;
    if (!raised)
        goto out;
    items = length;
    if (items != 2)
        goto ERROR;
out:
    return unused;
ERROR:
    reach_error();
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, sender, NULL);
    pthread_create(&second, NULL, receiver, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
