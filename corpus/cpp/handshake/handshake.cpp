// Two threads tell each other that they were here; one of them must hear of it. Lambdas started by std::thread.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<bool> left{false}, right{false};
static bool heard_left, heard_right;

int main() {
    std::thread first([] {
        left.store(true, std::memory_order_release);
        heard_right = right.load(std::memory_order_acquire);
    });
    std::thread second([] {
        right.store(true, std::memory_order_release);
        heard_left = left.load(std::memory_order_acquire);
    });
    first.join();
    second.join();
    assert(heard_left || heard_right);
    return 0;
}
