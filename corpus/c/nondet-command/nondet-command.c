/* A server that obeys numbers: 1 adds, 2 takes away, anything else is ignored. Nothing is ever taken that is not there. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock;

static void *server(void *unused) {
    for (;;) {
        int command = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        switch (command) {
        case 1:
            if (stock < 3)
                stock++;
            break;
        case 2:
            if (stock > 0)
                stock--;
            break;
        case 99:
            pthread_mutex_unlock(&lock);
            return unused;
        default:
            break;
        }
        assert(stock >= 0 && stock <= 3);
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, server, NULL);
    pthread_create(&second, NULL, server, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(stock >= 0);
    return 0;
}
