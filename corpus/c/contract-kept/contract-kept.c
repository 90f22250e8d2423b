// The same with a precondition that holds, and a postcondition at its limit.
#include <pthread.h>

void __CPROVER_precondition(_Bool, const char *);
void __CPROVER_postcondition(_Bool, const char *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items;

static void *take(void *arg) {
    pthread_mutex_lock(&lock);
    __CPROVER_precondition(items >= 0, "never less than none");
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
