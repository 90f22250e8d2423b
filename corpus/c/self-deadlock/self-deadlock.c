/* A function that takes the mutex is called by one that has it, if the other thread was faster. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int closed;
static int errors;

static void report(void) {
    pthread_mutex_lock(&mutex);
    errors++;
    pthread_mutex_unlock(&mutex);
}

static void *use(void *unused) {
    pthread_mutex_lock(&mutex);
    if (closed)
        report();
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *shut(void *unused) {
    pthread_mutex_lock(&mutex);
    closed = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t user, closer;
    pthread_create(&user, NULL, use, NULL);
    pthread_create(&closer, NULL, shut, NULL);
    pthread_join(user, NULL);
    pthread_join(closer, NULL);
    return 0;
}
