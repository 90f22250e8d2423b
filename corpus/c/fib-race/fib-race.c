/* Two threads add each other's number to their own, twice. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int left = 1, right = 1;

static void *add_left(void *unused) {
    for (int i = 0; i < 2; i++)
        left += right;
    return unused;
}

static void *add_right(void *unused) {
    for (int i = 0; i < 2; i++)
        right += left;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, add_left, NULL);
    pthread_create(&second, NULL, add_right, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(left <= 8 && right <= 8);
    return 0;
}
