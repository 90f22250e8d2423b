/* The twin of corpus/mutex/peterson. */
#include "lock.h"

static volatile int wants[2], victim;

static void process(int me, int other) {
  for (;;) {
    wants[me] = 1;
    FENCE();
    victim = me;
    FENCE();
    while (wants[other] != 0 && victim == me) {
    }
    ENTER();
    LEAVE();
    wants[me] = 0;
    FENCE();
  }
}
