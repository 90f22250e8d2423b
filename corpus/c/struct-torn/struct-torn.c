/* A structure of three words, passed and returned by value, and assigned without a lock. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct span {
    long start, end, length;
};

static struct span shared = {0, 4, 4};

static struct span moved(struct span span, long by) {
    span.start += by;
    span.end += by;
    return span;
}

static void *move(void *unused) {
    shared = moved(shared, 10);
    return unused;
}

static void *look(void *unused) {
    struct span seen = shared;
    assert(seen.end - seen.start == seen.length);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, move, NULL);
    pthread_create(&second, NULL, look, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
