// All other numbers have an absolute value.
#include <limits.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int number = __VERIFIER_nondet_int();
    if (number == INT_MIN) return 0;
    if (abs(number) < 0) abort();
    return 0;
}
