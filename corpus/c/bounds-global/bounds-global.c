/* A ring whose cursor goes back to 0 in one step and is used in another. The array has a neighbour. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static struct {
    int slots[2];
} ring;
static int neighbour;
static atomic_int cursor = 1;

static void *put(void *unused) {
    if (cursor == 2)
        cursor = 0;
    ring.slots[cursor] = 7;
    cursor++;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, put, NULL);
    pthread_create(&second, NULL, put, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return neighbour;
}
