/* Looking at the balance and taking from it are atomic each, and not together. */
#include <pthread.h>

void __ESBMC_atomic_begin(void);
void __ESBMC_atomic_end(void);
void __ESBMC_assert(_Bool condition, const char *text);

static int balance = 3;

static void *withdraw(void *unused) {
    __ESBMC_atomic_begin();
    _Bool enough = balance >= 2;
    __ESBMC_atomic_end();
    if (enough) {
        __ESBMC_atomic_begin();
        balance -= 2;
        __ESBMC_atomic_end();
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, withdraw, 0);
    pthread_create(&second, 0, withdraw, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    __ESBMC_assert(balance >= 0, "nobody takes what is not there");
    return 0;
}
