// A shared object of which two threads and main have copies; the last one destroys it.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <utility>

static std::atomic<int> destroyed{0};

struct Resource {
    int value = 5;
    ~Resource() { destroyed++; }
};

int main() {
    auto resource = std::make_shared<Resource>();
    std::thread first([resource] { assert(resource->value == 5); });
    std::thread second([mine = std::move(resource)] { assert(mine->value == 5); });
    first.join();
    second.join();
    assert(destroyed == 1);
}
