/* A library function writes its result where the thread has just written: its own write must not come back afterwards. */
#include <assert.h>
#include <pthread.h>

#define NO_KEY 4000000u

static pthread_key_t key;

static void *reader(void *argument) {
    (void)argument;
    pthread_key_t seen = key;
    assert(seen <= NO_KEY);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    key = NO_KEY;
    pthread_key_create(&key, NULL);
    pthread_key_t now = key;
    assert(now != NO_KEY);
    pthread_join(thread, NULL);
    assert(key != NO_KEY);
    return 0;
}
