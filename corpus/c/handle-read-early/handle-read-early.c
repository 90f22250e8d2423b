// A thread looks at the handle of another one, which main may or may not have written yet.
#include <assert.h>
#include <pthread.h>

static pthread_t looker, other;
static int seen;

static void *nothing(void *unused) {
    return unused;
}

static void *look(void *unused) {
    if (other != 0)
        seen = 1;
    return unused;
}

int main(void) {
    pthread_create(&looker, 0, look, 0);
    pthread_create(&other, 0, nothing, 0);
    pthread_join(looker, 0);
    assert(seen == 0);
    return 0;
}
