/* A ring buffer for one producer and one consumer, who must see every number in order. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SLOTS 2

static struct {
  int slots[SLOTS];
  atomic_int head, tail;
} queue;

static void *produce(void *unused) {
  (void)unused;
  for (int i = 1; i <= 3; i++) {
    int head = atomic_load_explicit(&queue.head, memory_order_relaxed);
    while (head - atomic_load_explicit(&queue.tail, memory_order_acquire) == SLOTS) {
    }
    queue.slots[head % SLOTS] = i;
    atomic_store_explicit(&queue.head, head + 1, ORDER);
  }
  return 0;
}

static void *consume(void *unused) {
  (void)unused;
  for (int i = 1; i <= 3; i++) {
    int tail = atomic_load_explicit(&queue.tail, memory_order_relaxed);
    while (atomic_load_explicit(&queue.head, memory_order_acquire) == tail) {
    }
    assert(queue.slots[tail % SLOTS] == i);
    atomic_store_explicit(&queue.tail, tail + 1, ORDER);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, produce, 0);
  pthread_create(&b, 0, consume, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
