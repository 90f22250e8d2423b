/* A writer says that it is done, and memory is freed. The word that says so is relaxed, so under PSO it can arrive before
   what was written: that then lands in memory which is somebody else's. Under TSO writes arrive in order. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *place;
static atomic_int done;

static void *fill(void *unused) {
    *place = 1;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t writer;
    place = malloc(sizeof *place);
    pthread_create(&writer, NULL, fill, NULL);
    while (!atomic_load_explicit(&done, memory_order_relaxed))
        ;
    free(place);
    pthread_join(writer, NULL);
    return 0;
}
