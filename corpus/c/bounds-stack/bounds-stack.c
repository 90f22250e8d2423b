/* A length that fits when it is looked at need not fit when it is used. */
#include <pthread.h>
#include <stddef.h>

#define SPACE 4

static volatile int length = 4;
static const char message[8] = "1234567";

static void *receive(void *unused) {
    char buffer[SPACE];
    if (length > SPACE)
        return unused;
    for (int i = 0; i < length; i++)
        buffer[i] = message[i];
    return buffer[0] == '1' ? unused : NULL;
}

static void *lengthen(void *unused) {
    length = 5;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, receive, NULL);
    pthread_create(&second, NULL, lengthen, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
