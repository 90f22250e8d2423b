/* Two threads set two bit-fields that a field of width 0 keeps apart. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static struct {
    unsigned loaded : 1;
    unsigned : 0;
    unsigned mode : 3;
} state;

static unsigned wanted = 13;

static void *load(void *unused) {
    state.loaded = 1;
    return unused;
}

static void *choose(void *unused) {
    state.mode = wanted;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, load, NULL);
    pthread_create(&second, NULL, choose, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(state.loaded == 1 && state.mode == 5);
    return 0;
}
