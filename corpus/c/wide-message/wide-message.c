/* A message that can be any number but 0, and a word made of it that says it is there. No list of values is short enough to
 * try them all. */
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);

static volatile int message, token;

static void *sender(void *argument) {
    (void)argument;
    int number = __VERIFIER_nondet_int();
    if (number == 0)
        return NULL;
    message = number;
    token = number ^ 0x5a5a5a5a;
    return NULL;
}

static void *receiver(void *argument) {
    (void)argument;
    int seen = token;
    int text = message;
    if (seen != 0)
        assert((seen ^ 0x5a5a5a5a) == text);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, sender, NULL);
    pthread_create(&second, NULL, receiver, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
