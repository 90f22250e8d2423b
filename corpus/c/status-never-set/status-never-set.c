// The status of the process is output: here it depends on a variable that was never set.
#include <pthread.h>

static void *work(void *arg) { return arg; }

int main(void) {
    int failed;
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return failed ? 1 : 0;
}
