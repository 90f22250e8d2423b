// Destroying a condition variable uses it, so it must be there.
#include <pthread.h>
#include <stdlib.h>

int main(void) {
    pthread_cond_t *changed = malloc(sizeof *changed);
    if (!changed) return 0;
    pthread_cond_init(changed, 0);
    free(changed);
    pthread_cond_destroy(changed);
    return 0;
}
