// The right twin of lost-update-deep: each thread has a number of its own, and who waits for all of them adds these up.
#include <assert.h>
#include <pthread.h>

long counts[4];

void *worker(void *own) {
    long *count = own;
    for (int i = 0; i < 1000; i++) {
        (*count)++;
    }
    return 0;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], 0, worker, &counts[i]);
    }
    long sum = 0;
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], 0);
        sum += counts[i];
    }
    assert(sum == 4000);
    return 0;
}
