/* Store buffering; each store is an atomic section of its own. */
#include <pthread.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void reach_error(void) { abort(); }

static int left, right;
static int saw_left, saw_right;

static void *raise_left(void *unused) {
    __VERIFIER_atomic_begin();
    left = 1;
    __VERIFIER_atomic_end();
    saw_right = right;
    return unused;
}

static void *raise_right(void *unused) {
    __VERIFIER_atomic_begin();
    right = 1;
    __VERIFIER_atomic_end();
    saw_left = left;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, raise_left, NULL);
    pthread_create(&second, NULL, raise_right, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    if (!saw_left && !saw_right)
        reach_error();
    return 0;
}
