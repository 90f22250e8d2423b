/* A thread finds its own handle in the list of those to wait for. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t team[2];
static pthread_mutex_t ready = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_team(void *unused) {
    pthread_mutex_lock(&ready);
    pthread_mutex_unlock(&ready);
    int error = pthread_join(team[1], NULL);
    assert(error == 0);
    return unused;
}

static void *member(void *unused) {
    return unused;
}

int main(void) {
    pthread_mutex_lock(&ready);
    pthread_create(&team[0], NULL, member, NULL);
    pthread_create(&team[1], NULL, wait_for_team, NULL);
    pthread_mutex_unlock(&ready);
    pthread_join(team[0], NULL);
    pthread_exit(NULL);
}
