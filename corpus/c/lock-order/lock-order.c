/* Two transfers in opposite directions, each with the locks of both accounts. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct account {
    pthread_mutex_t mutex;
    int money;
};

struct transfer {
    struct account *from, *to;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 5}, {PTHREAD_MUTEX_INITIALIZER, 5}};

static void *move(void *argument) {
    struct transfer *transfer = argument;
    pthread_mutex_lock(&transfer->from->mutex);
    pthread_mutex_lock(&transfer->to->mutex);
    transfer->from->money--;
    transfer->to->money++;
    pthread_mutex_unlock(&transfer->to->mutex);
    pthread_mutex_unlock(&transfer->from->mutex);
    return NULL;
}

int main(void) {
    struct transfer there = {&accounts[0], &accounts[1]};
    struct transfer back = {&accounts[1], &accounts[0]};
    pthread_t first, second;
    pthread_create(&first, NULL, move, &there);
    pthread_create(&second, NULL, move, &back);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(accounts[0].money == 5 && accounts[1].money == 5);
    return 0;
}
