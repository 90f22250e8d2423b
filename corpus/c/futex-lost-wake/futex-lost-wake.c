/* The word that the kernel compares is not the one that says what to wait for. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static atomic_bool done;

static void *wait_for_it(void *unused) {
    while (!atomic_load(&done))
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    return unused;
}

static void *say_it(void *unused) {
    atomic_store(&done, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, wait_for_it, NULL);
    pthread_create(&second, NULL, say_it, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
