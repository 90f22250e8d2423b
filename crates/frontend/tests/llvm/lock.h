/* What the algorithms of this folder share: two threads that enter and leave for ever, and a property. */
#include <assert.h>
#include <pthread.h>

static volatile int inside;

/* Nobody else may be between enter and leave. */
#define ENTER() assert(__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) == 0)
#define LEAVE() __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED)

#ifdef FENCED
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define FENCE() ((void)0)
#endif

static void process(int me, int other);

static void *first(void *unused) {
  (void)unused;
  process(0, 1);
  return 0;
}

static void *second(void *unused) {
  (void)unused;
  process(1, 0);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  void *(*bodies[2])(void *) = {first, second};
  for (int i = 0; i < 2; i++) {
    pthread_create(&threads[i], 0, bodies[i], 0);
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], 0);
  }
  return 0;
}
