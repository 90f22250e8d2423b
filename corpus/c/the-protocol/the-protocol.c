/* Cilk's THE protocol with one task: its worker takes from the tail, a thief from the head under a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int head = 0, tail = 1;
static atomic_int taken;

static void *worker(void *unused) {
    tail--;
    if (head > tail) {
        tail++;
        pthread_mutex_lock(&lock);
        tail--;
        if (head > tail) {
            tail++;
            pthread_mutex_unlock(&lock);
            return unused;
        }
        pthread_mutex_unlock(&lock);
    }
    atomic_fetch_add(&taken, 1);
    return unused;
}

static void *thief(void *unused) {
    pthread_mutex_lock(&lock);
    head++;
    if (head > tail) {
        head--;
        pthread_mutex_unlock(&lock);
        return unused;
    }
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&taken, 1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, thief, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(atomic_load(&taken) == 1);
    return 0;
}
