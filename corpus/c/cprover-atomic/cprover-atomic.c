/* Two threads count in atomic sections. */
#include <pthread.h>

void __CPROVER_atomic_begin(void);
void __CPROVER_atomic_end(void);
void __CPROVER_assert(_Bool condition, const char *text);

static int counter;

static void *count(void *unused) {
    for (int i = 0; i < 2; i++) {
        __CPROVER_atomic_begin();
        int seen = counter;
        counter = seen + 1;
        __CPROVER_atomic_end();
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, count, 0);
    pthread_create(&second, 0, count, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    __CPROVER_assert(counter == 4, "no increment is lost");
    return 0;
}
