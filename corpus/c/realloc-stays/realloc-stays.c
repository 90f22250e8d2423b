/* A block that grows may stay where it is. */
#include <assert.h>
#include <stdlib.h>

static char *first;

int main(void) {
    char *block = malloc(8);
    first = block;
    block = realloc(block, 16);
    assert(block != first);
    return 0;
}
