/* Store buffering with numbers that nobody knows, but for their signs. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int nondet_int(void);
void __CPROVER_assume(_Bool condition);

static int left, right, saw_left, saw_right;

static void *first_thread(void *unused) {
    int mine = nondet_int();
    __CPROVER_assume(mine > 0);
    left = mine;
    saw_right = right;
    return unused;
}

static void *second_thread(void *unused) {
    int mine = nondet_int();
    __CPROVER_assume(mine < 0);
    right = mine;
    saw_left = left;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, first_thread, NULL);
    pthread_create(&second, NULL, second_thread, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(saw_left > 0 || saw_right < 0);
    return 0;
}
