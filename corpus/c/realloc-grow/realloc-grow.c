/* Two threads append to a vector that grows by realloc, under a mutex. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *items;
static size_t count, space;

static void *append(void *argument) {
    pthread_mutex_lock(&mutex);
    if (count == space) {
        space += 1;
        items = realloc(items, space * sizeof *items);
    }
    items[count++] = *(int *)argument;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    int one = 1, two = 2;
    pthread_create(&first, NULL, append, &one);
    pthread_create(&second, NULL, append, &two);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(count == 2);
    assert(items[0] + items[1] == 3 && items[0] * items[1] == 2);
    free(items);
    return 0;
}
