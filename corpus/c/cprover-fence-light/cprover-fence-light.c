// A fence of CBMC that does not order stores and later loads leaves them as they are.
#include <assert.h>
#include <pthread.h>

void __CPROVER_fence(char *kind, ...);

static int x, y, seen_x, seen_y;

static void *one(void *arg) {
    x = 1;
    __CPROVER_fence("WWfence", "RRfence", "RWfence");
    seen_y = y;
    return arg;
}

static void *other(void *arg) {
    y = 1;
    __CPROVER_fence("WWfence", "RRfence", "RWfence", "WRfence");
    seen_x = x;
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, other, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(seen_x || seen_y);
    return 0;
}
