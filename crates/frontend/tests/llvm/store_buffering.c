/* Store buffering, with the outcome asserted by main when both threads have ended. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int r1, r2;

static void *first(void *unused) {
  (void)unused;
  atomic_store_explicit(&x, 1, ORDER);
  r1 = atomic_load_explicit(&y, memory_order_acquire);
  return 0;
}

static void *second(void *unused) {
  (void)unused;
  atomic_store_explicit(&y, 1, ORDER);
  r2 = atomic_load_explicit(&x, memory_order_acquire);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(r1 || r2);
  return 0;
}
