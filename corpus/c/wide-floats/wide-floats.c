// Conversions between integers of sixteen bytes and floating-point numbers.
#include <assert.h>
#include <pthread.h>

static unsigned __int128 large = (unsigned __int128)1 << 100;
static __int128 negative = -5;
static double number = 0x1.8p70;

static void *convert(void *arg) {
    assert((double)large == 0x1p100 && (float)large == 0x1p100f);
    assert((double)negative == -5.0 && (float)negative == -5.0f);
    // Halfway between two neighbours: the even one.
    assert((double)(large + ((unsigned __int128)1 << 47)) == 0x1p100);
    assert((double)(large + ((unsigned __int128)3 << 47)) == 0x1.0000000000002p100);
    assert((unsigned __int128)number == (unsigned __int128)3 << 69);
    assert((__int128)-number == -((__int128)3 << 69));
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, convert, 0);
    pthread_join(thread, 0);
    return 0;
}
