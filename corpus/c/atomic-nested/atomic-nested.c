/* Atomic sections within atomic sections, by calls and by pairs: the outermost end lets the others go on.
 *
 * `x` is made something and back to 0 within each outermost section, so main never sees anything but 0.
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
    __VERIFIER_atomic_begin();
    x = 2;
    __VERIFIER_atomic_end();
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
