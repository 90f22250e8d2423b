// Functions that look for something, and a remainder.
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static char text[] = "abcabc";
static int number = 0x50;
static double dividend = -7.5;

static void *search(void *arg) {
    assert(memrchr(text, 'b', 6) == text + 4 && memrchr(text, 'b', 4) == text + 1);
    assert(memrchr(text, 'c', 2) == 0 && memrchr(text, 'x', 0) == 0);
    assert(ffs(number) == 5 && ffs(0) == 0 && ffsl(1L << 40) == 41 && ffsll(-2) == 2);
    assert(wcslen(L"four") == 4 && wcslen(L"") == 0);
    assert(fmod(dividend, 2) == -1.5 && fmod(dividend, INFINITY) == dividend);
    return arg;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    int state = 7;
    pthread_attr_init(&attributes);
    assert(!pthread_attr_getdetachstate(&attributes, &state) && state == PTHREAD_CREATE_JOINABLE);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_getdetachstate(&attributes, &state);
    assert(state == PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, 0, search, 0);
    pthread_join(thread, 0);
    return 0;
}
