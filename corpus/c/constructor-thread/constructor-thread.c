/* Before main: one constructor fills a table, the next starts a thread that adds it up. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int table[2];
static int sum;
static pthread_t adder;

static void *add_up(void *unused) {
    sum = table[0] + table[1];
    return unused;
}

__attribute__((constructor(202))) static void start(void) {
    pthread_create(&adder, NULL, add_up, NULL);
}

__attribute__((constructor(201))) static void fill(void) {
    table[0] = 3;
    table[1] = 4;
}

int main(void) {
    pthread_join(adder, NULL);
    assert(sum == 7);
    return 0;
}
