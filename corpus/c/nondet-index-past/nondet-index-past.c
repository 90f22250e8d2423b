/* One index too many is allowed. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int condition);

#define CELLS 4

static int cells[CELLS];

static void *count(void *unused) {
    unsigned cell = __VERIFIER_nondet_uint();
    __VERIFIER_assume(cell <= CELLS);
    cells[cell]++;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    pthread_join(thread, NULL);
    assert(cells[0] <= 1);
    return 0;
}
