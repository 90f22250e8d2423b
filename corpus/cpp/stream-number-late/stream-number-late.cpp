// A thread sets a number in new memory and says by a flag that it is there; main prints it.
#include <atomic>
#include <iostream>
#include <memory>
#include <thread>

int main() {
    std::unique_ptr<int> number(new int);
    std::atomic<bool> ready{false};
    std::thread setter([&] {
        *number = 7;
        ready.store(true, std::memory_order_relaxed);
    });
    if (ready.load(std::memory_order_acquire))
        std::cout << *number << '\n';
    setter.join();
}
