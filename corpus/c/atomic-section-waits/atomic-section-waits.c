/* An atomic section that needs a semaphore happens only when it can end: that it cannot happen earlier is no deadlock. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static sem_t ready;
static int count;

static void *second(void *unused) {
    __VERIFIER_atomic_begin();
    sem_wait(&ready);
    count++;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, NULL, second, NULL);
    count++;
    sem_post(&ready);
    pthread_join(thread, NULL);
    assert(count == 2);
    return 0;
}
