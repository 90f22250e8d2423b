// An exception that nobody catches, if the other thread was faster.
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<bool> closed{false};

static void use() {
    if (closed)
        throw std::logic_error("closed");
}

int main() {
    std::thread user(use);
    std::thread closer([] { closed = true; });
    user.join();
    closer.join();
}
