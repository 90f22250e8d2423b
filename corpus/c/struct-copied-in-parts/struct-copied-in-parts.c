// A struct is assigned as a whole while another thread reads its members: the members are no unit.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

struct pair {
    uint32_t a, b;
};

static struct pair shared;

static void *writer(void *unused) {
    struct pair own = {1, 1};
    shared = own;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    uint32_t a = *(volatile uint32_t *)&shared.a;
    uint32_t b = *(volatile uint32_t *)&shared.b;
    assert(!(a == 1 && b == 0));
    pthread_join(thread, 0);
    return 0;
}
