/* The THE protocol of Cilk-5: the owner pops from the tail without a lock unless a thief may be after the same task; a
 * thief steals from the head with the lock. Two tasks are put in; owner and thief each want one: each gets a task that was
 * put in, and not the same one. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int head, tail, tasks[2];
static volatile int taken, stolen;
/*@ declarations */

static void put(int task) {
    int t = tail;
    tasks[t] = task;
    tail = t + 1;
}

static int pop(void) {
    int t = tail - 1;
    tail = t;
    if (head > t) {
        tail = t + 1;
        pthread_mutex_lock(&lock);
        tail = t;
        if (head > t) {
            tail = t + 1;
            pthread_mutex_unlock(&lock);
            return 0;
        }
        pthread_mutex_unlock(&lock);
    }
    return tasks[t];
}

static int steal(void) {
    pthread_mutex_lock(&lock);
    int h = head;
    head = h + 1;
    if (h + 1 > tail) {
        head = h;
        pthread_mutex_unlock(&lock);
        return 0;
    }
    pthread_mutex_unlock(&lock);
    int task = tasks[h];
    assert(task != 0);
    return task;
}

static void *first(void *argument) {
    (void)argument;
    /*@ first */
    put(1);
    put(2);
    taken = pop();
    return NULL;
}

static void *second(void *argument) {
    (void)argument;
    /*@ second */
    if (steal() == 1)
        stolen = steal();
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(taken == 0 || taken != stolen);
    /*@ end */
    return 0;
}
