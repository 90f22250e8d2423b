/* Two threads wait at a gate, in a loop; main opens it for all. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open, passed;

static void *pass(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!open)
        pthread_cond_wait(&opened, &mutex);
    passed++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, pass, NULL);
    pthread_create(&second, NULL, pass, NULL);
    pthread_mutex_lock(&mutex);
    assert(passed == 0);
    open = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&mutex);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(passed == 2);
    return 0;
}
