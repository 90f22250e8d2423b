/* Store buffering; what the first thread stores is any number from 1 to 3. */
#include <pthread.h>

int nondet_int(void);
void __CPROVER_assume(_Bool condition);
void __CPROVER_assert(_Bool condition, const char *text);

static int ticket, door;
static int saw_door, saw_ticket;

static void *holder(void *unused) {
    int mine = nondet_int();
    __CPROVER_assume(mine >= 1 && mine <= 3);
    ticket = mine;
    saw_door = door;
    return unused;
}

static void *porter(void *unused) {
    door = 1;
    saw_ticket = ticket;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, holder, 0);
    pthread_create(&second, 0, porter, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    __CPROVER_assert(saw_door != 0 || saw_ticket != 0, "somebody sees the other");
    return 0;
}
