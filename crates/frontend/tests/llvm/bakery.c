/* The twin of corpus/mutex/bakery-bounded: who would draw ticket 3 stops. */
#include "lock.h"

static volatile int choosing[2], ticket[2];

static void process(int me, int other) {
  for (;;) {
    choosing[me] = 1;
    FENCE();
    int mine = ticket[other] + 1;
    if (mine > 2) {
      return;
    }
    ticket[me] = mine;
    FENCE();
    choosing[me] = 0;
    FENCE();
    while (choosing[other]) {
    }
    int theirs = ticket[other];
    while (theirs != 0 && (theirs < mine || (theirs == mine && other < me))) {
      theirs = ticket[other];
    }
    ENTER();
    LEAVE();
    ticket[me] = 0;
    FENCE();
  }
}
