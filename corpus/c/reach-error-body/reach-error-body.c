/* Two threads try to enter and leave if the other wants to as well. The error function has a body: an assertion. */
#include <assert.h>
#include <pthread.h>

static int wants[2];
static int owner;
static int numbers[2] = {0, 1};

void reach_error(void) { assert(0); }

static void *try_once(void *argument) {
    int me = *(int *)argument;
    wants[me] = 1;
    if (!wants[1 - me]) {
        owner = me;
        if (owner != me)
            reach_error();
    }
    wants[me] = 0;
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, try_once, &numbers[0]);
    pthread_create(&second, NULL, try_once, &numbers[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
