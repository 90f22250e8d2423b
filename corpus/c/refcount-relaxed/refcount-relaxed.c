/* The last of two owners frees the object; the count goes down by relaxed steps. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int parts[2];
};

static struct object *object;

static void *owner(void *argument) {
    object->parts[(size_t)argument] = 1;
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_relaxed) == 1) {
        assert(object->parts[0] && object->parts[1]);
        free(object);
    }
    return NULL;
}

int main(void) {
    pthread_t first, second;
    object = calloc(1, sizeof *object);
    atomic_init(&object->references, 2);
    pthread_create(&first, NULL, owner, (void *)0);
    pthread_create(&second, NULL, owner, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
