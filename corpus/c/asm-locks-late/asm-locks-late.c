/* The wrong twin of asm-locks: the counter is asked in two steps, a locked one and a look at what came of it.
 *
 * Both threads count down before either looks: both see 0, and both take themselves for the last.
 */
#include <assert.h>
#include <pthread.h>

static int word, n, users = 2, last;

static int test_and_set_bit3(int *at) {
    unsigned char old;
    __asm__ __volatile__("lock; btsl %2,%1\n\tsetc %0" : "=q"(old), "+m"(*at) : "Ir"(3) : "memory");
    return old;
}

static void clear_bit3(int *at) { __asm__ __volatile__("lock; btrl $3,%0" : "+m"(*at) : : "memory"); }

static int exchange(int *at, int value) {
    __asm__ __volatile__("xchgl %0,%1" : "+r"(value), "+m"(*at) : : "memory");
    return value;
}

static int exchange_add(int *at, int value) {
    __asm__ __volatile__("lock; xaddl %0,%1" : "+r"(value), "+m"(*at) : : "memory");
    return value;
}

static int dec_and_test(int *at) {
    __asm__ __volatile__("lock; decl %0" : "+m"(*at) : : "memory");
    return *at == 0;
}

static void *worker(void *unused) {
    (void)unused;
    while (test_and_set_bit3(&word))
        __asm__ __volatile__("rep; nop" : : : "memory");
    n++;
    clear_bit3(&word);
    if (dec_and_test(&users)) last++;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    pthread_join(thread, 0);
    assert(n == 2 && word == 0 && last == 1 && users == 0);
    assert(exchange_add(&n, 3) == 2 && n == 5);
    assert(exchange(&n, 7) == 5 && n == 7);
    int kept = 9;
    __asm__("" : "+r"(kept));
    assert(kept == 9);
    return 0;
}
