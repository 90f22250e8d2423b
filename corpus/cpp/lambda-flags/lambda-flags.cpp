// Two lambdas raise a flag and look at the other's, through references.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
    std::atomic<bool> left{false}, right{false};
    bool left_saw = false, right_saw = false;
    auto look = [](std::atomic<bool> &mine, const std::atomic<bool> &other, bool &saw) {
        mine.store(true, std::memory_order_relaxed);
        saw = other.load(std::memory_order_relaxed);
    };
    std::thread first([&] { look(left, right, left_saw); });
    std::thread second([&] { look(right, left, right_saw); });
    first.join();
    second.join();
    assert(left_saw || right_saw);
}
