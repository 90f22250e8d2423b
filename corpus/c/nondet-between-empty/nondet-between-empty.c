/* No integer lies between 1000 and 1001. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int __VERIFIER_nondet_int(void);

static int level, alarm_level;

static void *raise_level(void *unused) {
    level = __VERIFIER_nondet_int();
    return unused;
}

static void *watch(void *unused) {
    int seen = level;
    int is_above = seen > 1000, is_below = seen < 1001;
    if (is_above && is_below)
        alarm_level = seen;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, raise_level, NULL);
    pthread_create(&second, NULL, watch, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(alarm_level == 0);
    return 0;
}
