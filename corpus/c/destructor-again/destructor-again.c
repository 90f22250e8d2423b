/* A destructor that sets its value again is called again: glibc gives up after four rounds. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_key_t key;
static atomic_int calls;

static void again(void *value) {
    calls++;
    pthread_setspecific(key, value);
}

static void *work(void *unused) {
    pthread_setspecific(key, &calls);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, again);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(calls < 4);
    return 0;
}
