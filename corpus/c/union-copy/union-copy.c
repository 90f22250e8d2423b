// The IR gives a union the type of one alternative. Its copies race member by member of the other.
#include <assert.h>
#include <pthread.h>

union words {
    long whole[2];
    struct {
        int first, second, third, fourth;
    } parts;
};

static union words shared;

static void *write_all(void *arg) {
    union words mine;
    mine.parts.first = 1;
    mine.parts.second = 1;
    mine.parts.third = 1;
    mine.parts.fourth = 1;
    shared = mine;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_all, 0);
    union words mine = shared;
    assert(mine.parts.third == mine.parts.fourth);
    pthread_join(thread, 0);
    return 0;
}
