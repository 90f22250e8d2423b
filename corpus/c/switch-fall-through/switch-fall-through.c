/* A message is written from its header or from its body on; the cases fall through. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

_Bool __VERIFIER_nondet_bool(void);

enum part { HEADER, BODY, END };

static volatile int header, body, end;

static void *writer(void *unused) {
    enum part from = __VERIFIER_nondet_bool() ? HEADER : BODY;
    switch (from) {
    case HEADER:
        header = 1;
        __attribute__((fallthrough));
    case BODY:
        body = header + 1;
        __attribute__((fallthrough));
    case END:
        end = 1;
        break;
    default:
        assert(0);
    }
    return unused;
}

static void *reader(void *unused) {
    switch (end) {
    case 0:
        break;
    case 1:
        assert(body == 1 || body == 2);
        break;
    default:
        assert(0);
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
