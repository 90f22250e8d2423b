/* Both sides of a number are compared with: 1001 alone is left. The flag says which thread saw it. */
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
    if (seen > 1000 && seen < 1002)
        alarm_level = seen;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, raise_level, NULL);
    pthread_create(&second, NULL, watch, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(alarm_level == 0 || alarm_level == 1001);
    assert(alarm_level == 0);
    return 0;
}
