/* A function lends its local variable to another thread and returns when told. Under PSO it may be told before the write to
   the variable has arrived. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(int *) lent;
static atomic_int done;

static void *answer(void *unused) {
    int *place;
    while (!(place = atomic_load(&lent)))
        ;
    *place = 1;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return unused;
}

static void ask(void) {
    int place = 0;
    atomic_store(&lent, &place);
    while (!atomic_load_explicit(&done, memory_order_relaxed))
        ;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, answer, NULL);
    ask();
    pthread_join(thread, NULL);
    return 0;
}
