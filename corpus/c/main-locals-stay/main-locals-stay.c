// The process ends when `main` returns: a thread may use a variable of `main` until then.
#include <assert.h>
#include <pthread.h>

static void *raise_it(void *arg) {
    int *level = arg;
    *level += 1;
    assert(*level < 3);
    return 0;
}

int main(void) {
    int level = 1;
    pthread_t thread;
    pthread_create(&thread, 0, raise_it, &level);
    return 0;
}
