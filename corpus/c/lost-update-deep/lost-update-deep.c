// Four threads add to one number a thousand times each, with a read and a write. Nothing keeps another thread's write from
// coming between the two, so additions are lost and the sum can be anything from 2 to 4000. The first state that shows it
// lies behind all four thousand rounds: a search that goes breadth first has seen more than 10^12 states by then.
#include <assert.h>
#include <pthread.h>

int sum;

void *worker(void *unused) {
    for (int i = 0; i < 1000; i++) {
        sum++;
    }
    return unused;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], 0, worker, 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], 0);
    }
    assert(sum == 4000);
    return 0;
}
