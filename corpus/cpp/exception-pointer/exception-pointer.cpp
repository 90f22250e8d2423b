// An exception goes from the thread that throws it to the one that waits for the result.
#include <cassert>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

static std::exception_ptr failure;

int main() {
    std::thread thread([] {
        try {
            throw std::runtime_error("no disk");
        } catch (...) {
            failure = std::current_exception();
        }
    });
    thread.join();
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception &error) {
        assert(error.what() == std::string("no disk"));
    }
    auto result = std::async(std::launch::async, []() -> int { throw std::invalid_argument("nothing"); });
    bool caught = false;
    try {
        result.get();
    } catch (const std::invalid_argument &) {
        caught = true;
    }
    assert(caught);
}
