/* As many tries as the dice say, from none to three. */
#include <stdlib.h>
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken, tries_left[2];

static void *taker(void *argument) {
    int *left = argument;
    int tries = rand() % 4;
    while (tries > 0) {
        tries--;
        if (pthread_mutex_trylock(&lock) == 0) {
            taken++;
            pthread_mutex_unlock(&lock);
            break;
        }
    }
    *left = tries;
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, taker, &tries_left[0]);
    pthread_create(&second, NULL, taker, &tries_left[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(taken >= 0 && taken <= 2);
    assert(tries_left[0] >= 0 && tries_left[0] < 3 && tries_left[1] >= 0 && tries_left[1] < 3);
    return 0;
}
