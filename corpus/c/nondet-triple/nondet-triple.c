/* Unsigned products wrap around. Three is odd, so only 333 gives 999; two is not, so 499 is not alone in giving 998. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

unsigned nondet_uint(void);
void __CPROVER_assert(_Bool condition, const char *text);

static unsigned shared;

static void *choose(void *unused) {
    shared = nondet_uint();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, choose, NULL);
    pthread_join(thread, NULL);
    if (shared * 3 == 999)
        __CPROVER_assert(shared == 333, "three has an inverse modulo two to the 32");
    if (shared * 2 == 998)
        __CPROVER_assert(shared == 499, "two has none");
    return 0;
}
