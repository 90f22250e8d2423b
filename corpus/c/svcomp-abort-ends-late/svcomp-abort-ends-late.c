/* SV-COMP's convention: an error is a call of `reach_error`; `abort` says that an execution is none that counts.
 *
 * The wrong twin of svcomp-abort-ends: the process ends only behind the section that makes `seen` 1. Until then main can look,
 * and sees 1, with level 2 and with level 1.
 */
#include <pthread.h>

extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *)
    __attribute__((__nothrow__, __leaf__, __noreturn__));
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "svcomp-abort-ends-late.c", 15, "reach_error"); }
void assume_abort_if_not(int condition) {
    if (!condition) { abort(); }
}
void check(int condition) {
    if (!condition) { ERROR: { reach_error(); abort(); } }
}

int seen;

void *blink(void *unused) {
    int level = __VERIFIER_nondet_int();
    assume_abort_if_not(level > 0 && level < 3);
    __VERIFIER_atomic_begin();
    seen = 1;
    __VERIFIER_atomic_end();
    if (level == 2) abort();
    __VERIFIER_atomic_begin();
    seen = 0;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, blink, 0);
    check(seen == 0);
    pthread_join(thread, 0);
    check(seen == 0);
    return 0;
}
