/* "Allocate it if it is not there", without a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *_Atomic block;

static int *get(void) {
    if (block == NULL)
        block = calloc(1, sizeof(int));
    return block;
}

static void *user(void *unused) {
    (void)unused;
    return get();
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, user, NULL);
    pthread_create(&threads[1], NULL, user, NULL);
    for (int i = 0; i < 2; i++) {
        void *used;
        pthread_join(threads[i], &used);
        assert(used == get());
    }
    return 0;
}
