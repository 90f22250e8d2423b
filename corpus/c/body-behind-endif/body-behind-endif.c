/* A writer that closes only when told to. Each branch of #if ends in a condition; its body stands behind #endif.
 *
 * Nobody tells it to: `told` stays 0, so `open` stays 1, and the reader's assertion holds. Were `open = 0` no longer the
 * body of the condition, it would be written always, and the reader could see it. `own` is the other way round: `told` is
 * 0, so it is written, and main, which has waited for the writer, sees 0.
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
    pthread_join(w, 0);
    pthread_join(r, 0);
    assert(own == 0);
    return 0;
}
