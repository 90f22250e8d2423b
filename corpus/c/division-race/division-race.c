/* The number of guests is looked at, and then divided by. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint guests = 1;

static void *share_out(void *unused) {
    if (guests > 0) {
        unsigned rest = 10 % guests;
        (void)rest;
    }
    return unused;
}

static void *leave(void *unused) {
    guests--;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, share_out, NULL);
    pthread_create(&second, NULL, leave, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
