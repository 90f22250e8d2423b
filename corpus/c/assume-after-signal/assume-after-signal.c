// A thread that assumes something must let others make it true first, also between its last signal and the assumption.
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int);
extern void reach_error(void);

static atomic_int flag;
static int data;

static void *assumer(void *unused) {
    atomic_store(&flag, 1);
    int seen = data;
    __VERIFIER_assume(seen == 1);
    reach_error();
    return unused;
}

static void *answerer(void *unused) {
    if (atomic_load(&flag) == 1)
        data = 1;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, assumer, 0);
    pthread_create(&second, 0, answerer, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
