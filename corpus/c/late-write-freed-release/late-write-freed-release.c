/* As late-write-freed, with a release store: what was written before arrives before, under every model. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *place;
static atomic_int done;

static void *fill(void *unused) {
    *place = 1;
    atomic_store_explicit(&done, 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t writer;
    place = malloc(sizeof *place);
    pthread_create(&writer, NULL, fill, NULL);
    while (!atomic_load_explicit(&done, memory_order_acquire))
        ;
    free(place);
    pthread_join(writer, NULL);
    return 0;
}
