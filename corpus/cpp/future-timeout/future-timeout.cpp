// The time limit of a wait for a future may pass before the value is there.
#include <cassert>
#include <chrono>
#include <future>

int main() {
    auto future = std::async(std::launch::async, [] { return 1; });
    assert(future.wait_for(std::chrono::seconds(1)) == std::future_status::ready);
}
