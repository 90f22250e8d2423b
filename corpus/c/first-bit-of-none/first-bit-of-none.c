// The first bit of a number without bits is asked for: compilers count the zeros of 0 and drop the result.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned taken = 0xfffffffe;
static int got;

static void *take(void *arg) {
    pthread_mutex_lock(&lock);
    int place = __builtin_ffs(~taken);
    if (place) {
        taken |= 1u << (place - 1);
        got++;
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, take, 0);
    pthread_create(&other, 0, take, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(got == 1);
    return 0;
}
