// The same without waiting: there may be nothing to throw yet.
#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>

static std::exception_ptr failure;
static std::atomic<bool> failed{false};

int main() {
    std::thread thread([] {
        try {
            throw std::runtime_error("no disk");
        } catch (...) {
            failed = true;
            failure = std::current_exception();
        }
    });
    if (failed) {
        try {
            std::rethrow_exception(failure);
        } catch (const std::runtime_error &) {
        }
    }
    thread.join();
}
