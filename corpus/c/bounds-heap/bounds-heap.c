/* Whether a list has a place left, and taking it, are two steps. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct list {
    atomic_int used;
    int size;
    short *items;
};

static struct list list;

static void *append(void *argument) {
    if (atomic_load(&list.used) < list.size)
        list.items[atomic_fetch_add(&list.used, 1)] = *(short *)argument;
    return NULL;
}

int main(void) {
    pthread_t first, second;
    short one = 1, two = 2;
    list.size = 1;
    list.items = malloc((size_t)list.size * sizeof *list.items);
    pthread_create(&first, NULL, append, &one);
    pthread_create(&second, NULL, append, &two);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    free(list.items);
    return 0;
}
