// Bytes that are left open can hold any number.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void __CPROVER_havoc_slice(void *, size_t);

static struct {
    int fixed, open;
    char text[4];
} record = {7, 7, "abc"};

static void *look(void *arg) {
    assert(record.open != 12345);
    return arg;
}

int main(void) {
    pthread_t thread;
    __CPROVER_havoc_slice(&record.open, sizeof record.open);
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    return 0;
}
