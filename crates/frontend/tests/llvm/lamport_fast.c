/* The twin of corpus/mutex/lamport-fast: in x and y, 2 stands for nobody. */
#include "lock.h"

static volatile int b[2], x = 2, y = 2;

static void process(int me, int other) {
  for (;;) {
    b[me] = 1;
    FENCE();
    x = me;
    FENCE();
    if (y != 2) {
      b[me] = 0;
      FENCE();
      while (y != 2) {
      }
      continue;
    }
    y = me;
    FENCE();
    if (x != me) {
      b[me] = 0;
      FENCE();
      while (b[other]) {
      }
      if (y != me) {
        while (y != 2) {
        }
        continue;
      }
    }
    ENTER();
    LEAVE();
    y = 2;
    FENCE();
    b[me] = 0;
    FENCE();
  }
}
