/* A thread writes one byte of a word and reads the whole word. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static union {
    unsigned char bytes[4];
    unsigned word;
} cell;
static unsigned saw[2];

static void *worker(void *argument) {
    size_t me = (size_t)argument;
    cell.bytes[me] = 1;
    saw[me] = cell.word;
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, (void *)0);
    pthread_create(&second, NULL, worker, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(saw[0] & 0x0001);
    assert(saw[1] & 0x0100);
    assert(saw[0] == 0x0101 || saw[1] == 0x0101);
    return 0;
}
