/* A lock of two functions that are atomic by their names; an assumption waits for it. */
#include <pthread.h>
#include <stdlib.h>

void __VERIFIER_assume(int condition);
void reach_error(void) { abort(); }

static int held;
static int inside;

void __VERIFIER_atomic_take(void) {
    __VERIFIER_assume(held == 0);
    held = 1;
}

void __VERIFIER_atomic_give_back(void) {
    __VERIFIER_assume(held == 1);
    held = 0;
}

static void *worker(void *argument) {
    int me = argument != NULL;
    __VERIFIER_atomic_take();
    inside = me;
    if (inside != me)
        reach_error();
    __VERIFIER_atomic_give_back();
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, &held);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
