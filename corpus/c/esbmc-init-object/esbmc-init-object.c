// How much of memory this call of ESBMC leaves open depends on types that the IR does not have.
#include <assert.h>

void __ESBMC_init_object(int *, ...);

static int number;

int main(void) {
    __ESBMC_init_object(&number);
    assert(number == 0);
    return 0;
}
