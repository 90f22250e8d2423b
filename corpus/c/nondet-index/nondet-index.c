/* Any of four cells; each thread works on one, and they may be the same. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int condition);

#define CELLS 4

static int cells[CELLS];
static pthread_mutex_t locks[CELLS];

static void *count(void *unused) {
    unsigned cell = __VERIFIER_nondet_uint();
    __VERIFIER_assume(cell < CELLS);
    pthread_mutex_lock(&locks[cell]);
    cells[cell]++;
    pthread_mutex_unlock(&locks[cell]);
    return unused;
}

int main(void) {
    pthread_t first, second;
    int sum = 0;
    for (int i = 0; i < CELLS; i++)
        pthread_mutex_init(&locks[i], NULL);
    pthread_create(&first, NULL, count, NULL);
    pthread_create(&second, NULL, count, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    for (int i = 0; i < CELLS; i++)
        sum += cells[i];
    assert(sum == 2);
    return 0;
}
