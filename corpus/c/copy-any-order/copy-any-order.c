// No standard says in which order `memcpy` reads: a library may read the last bytes first.
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct news {
    int ready, spare, text;
};

static struct news board;

static void *publish(void *arg) {
    board.text = 1;
    board.ready = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    struct news mine;
    pthread_create(&thread, 0, publish, 0);
    memcpy(&mine, &board, sizeof mine);
    assert(!mine.ready || mine.text);
    pthread_join(thread, 0);
    return 0;
}
