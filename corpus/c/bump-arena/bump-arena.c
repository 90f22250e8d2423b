/* Blocks from an arena by advancing a pointer up to one past its end; pointers are subtracted and compared. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define BLOCK 4

static char arena[3 * BLOCK];
static _Atomic(char *) position = arena;
static char *taken[4];

static char *allocate(void) {
    char *start = atomic_load(&position);
    do {
        if (arena + sizeof arena - start < BLOCK)
            return NULL;
    } while (!atomic_compare_exchange_strong(&position, &start, start + BLOCK));
    return start;
}

static void *taker(void *argument) {
    char **mine = argument;
    mine[0] = allocate();
    mine[1] = allocate();
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, taker, &taken[0]);
    pthread_create(&second, NULL, taker, &taken[2]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    int missing = 0;
    for (int i = 0; i < 4; i++) {
        if (taken[i] == NULL) {
            missing++;
            continue;
        }
        assert(taken[i] >= arena && taken[i] + BLOCK <= arena + sizeof arena);
        for (int j = 0; j < i; j++)
            if (taken[j] != NULL)
                assert(taken[i] - taken[j] >= BLOCK || taken[j] - taken[i] >= BLOCK);
    }
    assert(missing == 1);
    return 0;
}
