// An address within an object leaves all of the object open.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void __CPROVER_havoc_object(void *);

static struct {
    int fixed, open;
    char text[4];
} record = {7, 7, "abc"};

static void *look(void *arg) {
    assert(record.fixed != 3 || record.text[2] != 'x');
    return arg;
}

int main(void) {
    pthread_t thread;
    __CPROVER_havoc_object(&record.open);
    pthread_create(&thread, 0, look, 0);
    pthread_join(thread, 0);
    return 0;
}
