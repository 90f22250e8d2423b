/* A spin lock that one thread takes and the other only tries. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int cash;
static int added;

static void *take(void *unused) {
    pthread_spin_lock(&lock);
    cash += 10;
    pthread_spin_unlock(&lock);
    return unused;
}

static void *try_once(void *unused) {
    if (pthread_spin_trylock(&lock) == 0) {
        cash += 1;
        added = 1;
        pthread_spin_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&first, NULL, take, NULL);
    pthread_create(&second, NULL, try_once, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_spin_destroy(&lock);
    assert(cash == 10 + added);
    return 0;
}
