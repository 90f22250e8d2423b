/* A stack of allocated nodes: one thread pushes, the other pops. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

static _Atomic(struct node *) top;

static void push(int value) {
  struct node *node = malloc(sizeof *node);
  node->value = value;
  struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
  do {
    node->next = old;
  } while (!atomic_compare_exchange_weak_explicit(&top, &old, node, ORDER, memory_order_relaxed));
}

static int pop(void) {
  struct node *old = atomic_load_explicit(&top, memory_order_acquire);
  while (old) {
    if (atomic_compare_exchange_weak_explicit(&top, &old, old->next, memory_order_acquire,
                                              memory_order_acquire)) {
      return old->value;
    }
  }
  return -1;
}

static void *first(void *unused) {
  (void)unused;
  push(1);
  push(2);
  return 0;
}

static void *second(void *unused) {
  (void)unused;
  int value = pop();
  assert(value == -1 || value == 1 || value == 2);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
