// A thread keeps its promise; main waits for the future.
#include <cassert>
#include <future>
#include <thread>
#include <utility>

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread worker([promise = std::move(promise)]() mutable { promise.set_value(8); });
    assert(future.get() == 8);
    worker.join();
}
