// A pair with equal halves; readers share the mutex, the writer has it alone.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_timed_mutex mutex;
static int left, right;

static void read() {
    std::shared_lock<std::shared_timed_mutex> lock(mutex);
    assert(left == right);
}

static void write() {
    std::lock_guard<std::shared_timed_mutex> lock(mutex);
    left++;
    right++;
}

int main() {
    std::thread reader(read);
    std::thread writer(write);
    read();
    reader.join();
    writer.join();
    assert(left == 1);
}
