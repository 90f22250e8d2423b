/* main leaves by pthread_exit; its thread joins it and is wrong about what it finds. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t starter;
static int phase;

static void *follow(void *unused) {
    pthread_join(starter, NULL);
    assert(phase == 2);
    return unused;
}

int main(void) {
    pthread_t follower;
    starter = pthread_self();
    pthread_create(&follower, NULL, follow, NULL);
    phase = 1;
    pthread_exit(NULL);
}
