/* Two threads set two bit-fields of one byte. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static struct {
    unsigned char loaded : 1;
    unsigned char mode : 3;
} state;

static void *load(void *unused) {
    state.loaded = 1;
    return unused;
}

static void *choose(void *unused) {
    state.mode = 5;
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
