/* Whoever comes first cleans up; but looking and cleaning are two steps. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static char *_Atomic buffer;

static void *clean_up(void *unused) {
    if (buffer != NULL) {
        free(buffer);
        buffer = NULL;
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    buffer = malloc(16);
    pthread_create(&first, NULL, clean_up, NULL);
    pthread_create(&second, NULL, clean_up, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
