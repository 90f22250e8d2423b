// A value handed over under a mutex; the reader waits for it with a condition variable and a predicate.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable filled;
static bool is_filled;
static int value;

static void read() {
    std::unique_lock<std::mutex> lock(mutex);
    filled.wait(lock, [] { return is_filled; });
    assert(value == 1);
}

static void write() {
    {
        std::lock_guard<std::mutex> lock(mutex);
        is_filled = true;
        value = 1;
    }
    filled.notify_one();
}

int main() {
    std::thread reader(read);
    std::thread writer(write);
    reader.join();
    writer.join();
}
