// Between these calls of ESBMC nobody else acts.
#include <assert.h>
#include <pthread.h>

void __ESBMC_really_atomic_begin(void);
void __ESBMC_really_atomic_end(void);

static int count;

static void *add(void *arg) {
    __ESBMC_really_atomic_begin();
    count++;
    __ESBMC_really_atomic_end();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    add(0);
    pthread_join(thread, 0);
    assert(count == 2);
    return 0;
}
