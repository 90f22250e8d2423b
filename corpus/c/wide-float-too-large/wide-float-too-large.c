// A number that no integer of sixteen bytes can be.
#include <assert.h>

static double number = 0x1p128;

int main(void) {
    unsigned __int128 integer = (unsigned __int128)number;
    assert(integer != 1);
    return 0;
}
