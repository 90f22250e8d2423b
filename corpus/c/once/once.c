/* Two threads share a block that is allocated once. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int *block;
static int calls;

static void set_up(void) {
    calls++;
    block = malloc(2 * sizeof *block);
    block[0] = 1;
    block[1] = 2;
}

static void *user(void *unused) {
    pthread_once(&once, set_up);
    assert(block[0] == 1 && block[1] == 2);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, user, NULL);
    pthread_create(&second, NULL, user, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(calls == 1);
    free(block);
    return 0;
}
