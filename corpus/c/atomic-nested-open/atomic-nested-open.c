/* The wrong twin of atomic-nested: one section ends too early.
 *
 * The inner pair is not inner any more: behind its end `x` is 2 for all to see, until it is 0 again.
 */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int x, rounds;

void __VERIFIER_atomic_set(int value) { x = value; }
void __VERIFIER_atomic_blink(void) {
    __VERIFIER_atomic_set(1);
    __VERIFIER_atomic_set(0);
}

void *worker(void *unused) {
    __VERIFIER_atomic_blink();
    __VERIFIER_atomic_begin();
    x = 2;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    rounds++;
    x = 0;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_set(3);
    __VERIFIER_atomic_blink();
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    assert(x == 0);
    pthread_join(thread, 0);
    assert(x == 0 && rounds == 1);
    return 0;
}
