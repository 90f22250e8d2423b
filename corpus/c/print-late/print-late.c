/* A thread fills a text in new memory and says by a flag that it is there; main prints it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static atomic_bool ready;

static void *fill(void *unused) {
    strcpy(text, "ok");
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t filler;
    text = malloc(3);
    if (!text)
        return 1;
    pthread_create(&filler, NULL, fill, NULL);
    if (atomic_load_explicit(&ready, memory_order_acquire))
        printf("%.2s: %s\n", text, text);
    pthread_join(filler, NULL);
    free(text);
    return 0;
}
