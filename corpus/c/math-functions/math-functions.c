// Functions of <math.h> that round as the standard says.
#include <assert.h>
#include <math.h>
#include <pthread.h>

static double part[2];

static void *work(void *arg) {
    long me = (long)arg;
    part[me] = sqrt(me ? 9.0 : 2.0);
    return arg;
}

int main(void) {
    volatile double two = 2.0;
    volatile float tenth = 0.1f;
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(part[0] * part[0] != 2.0 && part[1] == 3.0 && fabs(-two) == 2.0);
    assert(floor(-0.5) == -1.0 && ceil(0.2) == 1.0 && trunc(-1.7) == -1.0);
    assert(round(2.5) == 3.0 && rint(2.5) == 2.0);
    assert(fmax(1.0, two) == 2.0 && fminf(1.0f, 0.5f) == 0.5f && copysign(3.0, -two) == -3.0);
    float sum = tenth * tenth + -0.01f;
    assert(sum == (float)(tenth * tenth) + -0.01f);
    return 0;
}
