// The thread owns the number and deletes it at its end; main keeps the address.
#include <memory>
#include <thread>

int main() {
    auto owner = std::make_unique<int>(1);
    int *number = owner.get();
    std::thread thread([held = std::move(owner)] { *held = 2; });
    *number = 3;
    thread.join();
    return 0;
}
