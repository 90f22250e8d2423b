// A function whose name promises an open value, and that is given somewhere to write it.
#include <assert.h>

void __VERIFIER_nondet_number(int *);

static int number;

int main(void) {
    __VERIFIER_nondet_number(&number);
    assert(number == 0);
    return 0;
}
