// Questions about objects.
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

_Bool __CPROVER_same_object(const void *, const void *);
size_t __CPROVER_OBJECT_SIZE(const void *);

static int numbers[4], others[4];

int main(void) {
    char *block = malloc(10);
    if (!block) return 0;
    assert(__CPROVER_same_object(numbers, numbers + 3) && !__CPROVER_same_object(numbers, others));
    assert(__CPROVER_OBJECT_SIZE(numbers + 1) == sizeof numbers && __CPROVER_OBJECT_SIZE(block + 9) == 10);
    free(block);
    return 0;
}
