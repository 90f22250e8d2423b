// Addresses of freed blocks stay in variables that nobody looks at any more: which of them come again makes no difference.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *kept[8];

static void *work(void *unused) {
    (void)unused;
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        kept[i] = malloc(sizeof(int));
        *kept[i] = i;
        sum += *kept[i];
        free(kept[i]);
    }
    assert(sum == 28);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
