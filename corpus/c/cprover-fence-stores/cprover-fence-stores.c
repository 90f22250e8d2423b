// A fence of CBMC that orders stores.
#include <assert.h>
#include <pthread.h>

void __CPROVER_fence(char *kind, ...);

static int data, ready;

static void *write(void *arg) {
    data = 1;
    __CPROVER_fence("WWfence");
    ready = 1;
    return arg;
}

static void *read(void *arg) {
    if (ready) assert(data);
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, write, 0);
    pthread_create(&second, 0, read, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
