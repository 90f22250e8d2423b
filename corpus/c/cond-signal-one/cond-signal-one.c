/* Two threads wait at a gate; main opens it and signals once. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open;

static void *pass(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!open)
        pthread_cond_wait(&opened, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, pass, NULL);
    pthread_create(&second, NULL, pass, NULL);
    pthread_mutex_lock(&mutex);
    open = 1;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&mutex);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
