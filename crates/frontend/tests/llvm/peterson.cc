// Peterson's algorithm, once round, with the threads of C++: a function with an argument, and a closure.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> wants[2];
static std::atomic<int> victim;
static int inside;

static void process(int me) {
  int other = 1 - me;
  wants[me].store(1, std::memory_order_relaxed);
  victim.store(me, std::memory_order_relaxed);
#ifdef FENCED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  while (wants[other].load(std::memory_order_acquire) && victim.load(std::memory_order_acquire) == me) {
  }
  inside++;
  assert(inside == 1);
  inside--;
  wants[me].store(0, std::memory_order_release);
}

int main() {
  std::thread first(process, 0);
  std::thread second([] { process(1); });
  first.join();
  second.join();
}
