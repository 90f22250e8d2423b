/* A word of any value is replaced by one that is larger by three, by whoever finds it first. */
#include <stdatomic.h>
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

unsigned __VERIFIER_nondet_uint(void);

static atomic_uint word;
static unsigned start;
static atomic_int winners;

static void *replace(void *unused) {
    unsigned expected = start;
    if (atomic_compare_exchange_strong(&word, &expected, start + 3))
        atomic_fetch_add(&winners, 1);
    else
        assert(expected == start + 3);
    return unused;
}

int main(void) {
    pthread_t first, second;
    start = __VERIFIER_nondet_uint();
    atomic_store(&word, start);
    pthread_create(&first, NULL, replace, NULL);
    pthread_create(&second, NULL, replace, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(winners == 1);
    assert(word - start == 3);
    return 0;
}
