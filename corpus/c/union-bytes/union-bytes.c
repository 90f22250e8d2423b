/* Store buffering with two bytes of one word. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static union {
    unsigned char bytes[4];
    unsigned word;
} cell;
static unsigned char saw[2];

static void *worker(void *argument) {
    size_t me = (size_t)argument;
    cell.bytes[me] = 1;
    saw[me] = cell.bytes[1 - me];
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, (void *)0);
    pthread_create(&second, NULL, worker, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(cell.word == 0x0101);
    assert(saw[0] || saw[1]);
    return 0;
}
