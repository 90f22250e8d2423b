/* A connection is closed and freed while somebody who found it open uses it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct connection {
    int number;
};

static struct connection *connection;
static atomic_bool gone;

static void *use(void *unused) {
    if (!atomic_load(&gone))
        assert(connection->number == 12);
    return unused;
}

static void *shut(void *unused) {
    atomic_store(&gone, 1);
    free(connection);
    return unused;
}

int main(void) {
    pthread_t user, closer;
    connection = malloc(sizeof *connection);
    connection->number = 12;
    pthread_create(&user, NULL, use, NULL);
    pthread_create(&closer, NULL, shut, NULL);
    pthread_join(user, NULL);
    pthread_join(closer, NULL);
    return 0;
}
