// The smallest number has no absolute value.
#include <limits.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int number = __VERIFIER_nondet_int();
    if (abs(number) < 0) abort();
    return 0;
}
