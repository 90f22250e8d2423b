/* Two threads choose a letter each, any of two, and look at the other's. */
#include <pthread.h>
#include <stdlib.h>

char __VERIFIER_nondet_char(void);
void __VERIFIER_assume(int condition);
void reach_error(void) { abort(); }

static char chosen[2];
static char saw[2];

static void *choose(void *argument) {
    size_t me = (size_t)argument;
    char letter = __VERIFIER_nondet_char();
    __VERIFIER_assume(letter == 'a' || letter == 'b');
    chosen[me] = letter;
    saw[me] = chosen[1 - me];
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, choose, (void *)0);
    pthread_create(&second, NULL, choose, (void *)1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    switch (saw[0] + saw[1]) {
    case 'a':
    case 'b':
    case 'a' + 'a':
    case 'a' + 'b':
    case 'b' + 'b':
        break;
    default:
        reach_error();
    }
    return 0;
}
