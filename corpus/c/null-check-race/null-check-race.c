/* The pointer that is looked at and the pointer that is followed are two reads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int content = 1;
static int *_Atomic box = &content;
static int result;

static void *look(void *unused) {
    if (box != NULL)
        result = *box;
    return unused;
}

static void *take_away(void *unused) {
    box = NULL;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, look, NULL);
    pthread_create(&second, NULL, take_away, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
