// A precondition of CBMC is an assertion: the second thread finds nothing to take.
#include <pthread.h>

void __CPROVER_precondition(_Bool, const char *);
void __CPROVER_postcondition(_Bool, const char *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items;

static void *take(void *arg) {
    pthread_mutex_lock(&lock);
    __CPROVER_precondition(items > 0, "there is one");
    items--;
    __CPROVER_postcondition(items >= -1, "at most one too many");
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t one, other;
    items = 1;
    pthread_create(&one, 0, take, 0);
    pthread_create(&other, 0, take, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
