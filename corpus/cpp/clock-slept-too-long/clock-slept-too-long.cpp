// Sleeping may take longer than it is told to.
#include <cassert>
#include <chrono>
#include <thread>

int main() {
    using namespace std::chrono;
    auto start = steady_clock::now();
    std::this_thread::sleep_for(milliseconds(5));
    assert(steady_clock::now() - start < milliseconds(50));
}
