/* An address inside a vector is kept while the vector grows. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *items;

static void *read_first(void *unused) {
    pthread_mutex_lock(&mutex);
    int *first = &items[0];
    pthread_mutex_unlock(&mutex);
    assert(*first == 1);
    return unused;
}

static void *grow(void *unused) {
    pthread_mutex_lock(&mutex);
    items = realloc(items, 64 * sizeof *items);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t first, second;
    items = malloc(sizeof *items);
    items[0] = 1;
    pthread_create(&first, NULL, read_first, NULL);
    pthread_create(&second, NULL, grow, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    free(items);
    return 0;
}
