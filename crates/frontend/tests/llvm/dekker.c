/* The twin of corpus/mutex/dekker. */
#include "lock.h"

static volatile int wants[2], turn;

static void process(int me, int other) {
  for (;;) {
    wants[me] = 1;
    FENCE();
    while (wants[other]) {
      if (turn != me) {
        wants[me] = 0;
        while (turn != me) {
        }
        wants[me] = 1;
        FENCE();
      }
    }
    ENTER();
    LEAVE();
    turn = other;
    FENCE();
    wants[me] = 0;
    FENCE();
  }
}
