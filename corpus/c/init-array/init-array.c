// A function in the section of start-up functions runs before `main`, as a constructor does.
#include <assert.h>
#include <pthread.h>

static int limit;

static void set_up(void) { limit = 2; }
__attribute__((section(".init_array"), used)) static void (*const at_start)(void) = set_up;

static void *work(void *arg) {
    assert(limit != 2);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
