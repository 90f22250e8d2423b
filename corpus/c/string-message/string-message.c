/* A string is copied to a shared buffer; a flag says that it is there. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static char buffer[4];
static atomic_bool sent;

static void *send(void *unused) {
    strcpy(buffer, "ok");
    atomic_store_explicit(&sent, 1, memory_order_relaxed);
    return unused;
}

static void *receive(void *unused) {
    if (atomic_load_explicit(&sent, memory_order_acquire)) {
        assert(strlen(buffer) == 2);
        assert(strcmp(buffer, "ok") == 0);
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, send, NULL);
    pthread_create(&second, NULL, receive, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
