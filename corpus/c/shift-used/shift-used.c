// A shift by as many bits as there are has no result, and somebody looks at it.
#include <assert.h>
#include <pthread.h>

static unsigned width = 32, bits;

static void *make_mask(void *arg) {
    unsigned mask = (~0u << width) + 1;
    bits = mask;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, make_mask, 0);
    pthread_join(thread, 0);
    assert(bits == 0);
    return 0;
}
