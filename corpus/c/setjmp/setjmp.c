/* A worker leaves its loop by a long jump, which is refused. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>

static void *worker(void *unused) {
    jmp_buf start;
    if (setjmp(start) == 0)
        longjmp(start, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
