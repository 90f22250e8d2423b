/* Store buffering with a full fence written in assembly. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int raised[2];
static int saw[2];

static void *worker(void *argument) {
    size_t me = (size_t)argument;
    raised[me] = 1;
    __asm__ volatile("mfence" ::: "memory");
    saw[me] = raised[1 - me];
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, (void *)0);
    pthread_create(&second, NULL, worker, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(saw[0] || saw[1]);
    return 0;
}
