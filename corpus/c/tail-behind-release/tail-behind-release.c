// What a thread does after it has raised a flag is not ordered with those who have seen the flag through others.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data, seen;
static atomic_int first, second;

static void *writer(void *unused) {
    atomic_store(&first, 1);
    data = 1;
    return unused;
}

static void *reader(void *unused) {
    if (atomic_load(&second))
        seen = 1 + data;
    return unused;
}

int main(void) {
    pthread_t writes, reads;
    pthread_create(&reads, 0, reader, 0);
    pthread_create(&writes, 0, writer, 0);
    if (atomic_load(&first))
        atomic_store(&second, 1);
    pthread_join(writes, 0);
    pthread_join(reads, 0);
    assert(seen != 1);
    return 0;
}
