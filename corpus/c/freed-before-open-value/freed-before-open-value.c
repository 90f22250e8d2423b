/* Blocks are freed and moved, then a number is open: what is found by the number is shown with the blocks as they were. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void *idle(void *argument) {
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
    int *first = malloc(sizeof *first);
    free(first);
    int *second = malloc(2 * sizeof *second);
    second[0] = 1;
    second = realloc(second, 4 * sizeof *second);
    int number = __VERIFIER_nondet_int();
    if (number > 5) {
        int *third = malloc(sizeof *third);
        *third = number;
        assert(*third != 77);
        free(third);
    }
    free(second);
    pthread_join(thread, NULL);
    return 0;
}
