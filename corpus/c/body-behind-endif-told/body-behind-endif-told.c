/* The wrong twin of body-behind-endif: the writer is told to close, by another thread.
 *
 * `told` is 0 or 1 when the writer looks. If it is 1, `open = 0` is written, and the reader can see it: the assertion fails.
 * Were a call of something else the body of the condition, the assignment would be made always, and fail as well; were the
 * condition lost together with its body, nothing would fail.
 */
#include <assert.h>
#include <pthread.h>

int told, open = 1, own = 1;

static void *writer(void *unused) {
    (void)unused;
#ifdef MODE
    if (told > MODE)
#else
    if (told)
#endif
        open = 0;
    if (!told)
#ifdef MODE
        own = MODE;
#else
        own = 0;
#endif
    return 0;
}

static void *reader(void *unused) {
    (void)unused;
    assert(open == 1);
    return 0;
}

int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    told = 1;
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
