/* A value for each thread under one key, with a destructor that frees it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static atomic_int freed;

static void destroy(void *value) {
    free(value);
    atomic_fetch_add(&freed, 1);
}

static void *worker(void *argument) {
    int *mine = malloc(sizeof *mine);
    *mine = *(int *)argument;
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, mine);
    int *found = pthread_getspecific(key);
    assert(*found == *(int *)argument);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    int one = 1, two = 2;
    pthread_key_create(&key, destroy);
    pthread_create(&first, NULL, worker, &one);
    pthread_create(&second, NULL, worker, &two);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(atomic_load(&freed) == 2);
    assert(pthread_getspecific(key) == NULL);
    pthread_key_delete(key);
    return 0;
}
