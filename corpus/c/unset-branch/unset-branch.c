/* Whether there was something is given back and not looked at. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int item;
static atomic_bool is_there;
static int positive;

static _Bool take(int *place) {
    if (!atomic_load(&is_there))
        return 0;
    *place = item;
    return 1;
}

static void *consume(void *unused) {
    int number;
    take(&number);
    if (number > 0)
        positive = 1;
    return unused;
}

static void *produce(void *unused) {
    item = 3;
    atomic_store(&is_there, 1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, consume, NULL);
    pthread_create(&second, NULL, produce, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
