/* An assertion macro of the program's own that calls what assert calls; the counter has no lock. */
#include <pthread.h>
#include <stddef.h>

extern void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));

#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition))                                       \
            __assert_fail(#condition, __FILE__, __LINE__, __func__); \
    } while (0)

static unsigned short counter;

static void *add(void *argument) {
    size_t times = (size_t)argument;
    while (times-- > 0)
        counter++;
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, add, (void *)1);
    pthread_create(&second, NULL, add, (void *)2);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    CHECK(counter == 3);
    return 0;
}
