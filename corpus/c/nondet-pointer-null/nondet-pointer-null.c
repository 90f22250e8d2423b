/* The environment gives a record or nothing; one thread puts a spare one in its place, the other does not wait for that. */
#include <pthread.h>
#include <stddef.h>

void *__VERIFIER_nondet_pointer(void);

struct record {
    int value;
};

static struct record spare = {7};
static struct record *given;

static void *replace(void *unused) {
    if (given == NULL)
        given = &spare;
    return unused;
}

static void *use(void *unused) {
    if (given == &spare)
        given->value = 1;
    else if (given->value == 7)
        given->value = 2;
    return unused;
}

int main(void) {
    pthread_t first, second;
    given = __VERIFIER_nondet_pointer() == NULL ? NULL : &spare;
    pthread_create(&first, NULL, replace, NULL);
    pthread_create(&second, NULL, use, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
