// Sleeping takes as long as it is told to, at least.
#include <cassert>
#include <chrono>
#include <thread>

int main() {
    using namespace std::chrono;
    auto start = steady_clock::now();
    std::thread other([] { std::this_thread::sleep_for(milliseconds(1)); });
    std::this_thread::sleep_for(milliseconds(2));
    std::this_thread::sleep_for(milliseconds(3));
    assert(steady_clock::now() - start >= milliseconds(5));
    other.join();
}
