// Bit-fields of a variable that was never set as a whole: each is set before it is read.
#include <assert.h>
#include <pthread.h>

struct flags {
    unsigned kind : 3;
    unsigned size : 5;
};

static int kind;

static void *work(void *arg) {
    struct flags flags;
    flags.kind = 5;
    flags.size = 9;
    kind = flags.kind;
    assert(flags.size == 9);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(kind == 5);
    return 0;
}
