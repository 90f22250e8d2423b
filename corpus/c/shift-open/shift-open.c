// A shift by any number of bits less than there are.
#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

int main(void) {
    unsigned by = __VERIFIER_nondet_uint();
    __VERIFIER_assume(by < 32);
    unsigned bit = 1u << by;
    assert(bit);
    return 0;
}
