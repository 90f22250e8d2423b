// Memory that is filled with any values is set, and its members can be told apart.
#include <assert.h>
#include <stddef.h>

void __VERIFIER_nondet_memory(void *, size_t);
void __VERIFIER_assume(int);

int main(void) {
    struct {
        int first, second;
    } pair;
    __VERIFIER_nondet_memory(&pair, sizeof pair);
    __VERIFIER_assume(pair.first > 3 && pair.second < 0);
    assert(pair.first != 3 && pair.second != 3);
    return 0;
}
