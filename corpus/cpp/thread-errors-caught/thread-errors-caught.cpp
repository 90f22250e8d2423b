// What std::thread throws if it is misused can be caught: no thread to wait for or to let go, and a thread that waits for itself.
#include <atomic>
#include <cassert>
#include <system_error>
#include <thread>

static std::thread worker;
static std::atomic<bool> started{false};
static bool refused = false;

template <class Use> static bool throws(Use use, std::errc why) {
    try {
        use();
        return false;
    } catch (const std::system_error &error) {
        return error.code() == why;
    }
}

int main() {
    std::thread none;
    assert(throws([&] { none.join(); }, std::errc::invalid_argument));
    assert(throws([&] { none.detach(); }, std::errc::invalid_argument));
    worker = std::thread([] {
        while (!started) {
        }
        refused = throws([] { worker.join(); }, std::errc::resource_deadlock_would_occur);
    });
    started = true;
    worker.join();
    assert(refused);
    assert(throws([&] { worker.detach(); }, std::errc::invalid_argument));
}
