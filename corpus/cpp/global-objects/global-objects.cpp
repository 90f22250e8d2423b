// Global objects with constructors, one of which uses another; two threads add to the first.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class Registry {
public:
    Registry() { names.push_back('a'); }

    void add(char name) {
        std::lock_guard<std::mutex> guard(mutex);
        names.push_back(name);
    }

    std::size_t size() const { return names.size(); }

private:
    std::mutex mutex;
    std::vector<char> names;
};

static Registry registry;
static const std::size_t size_before_main = registry.size();

int main() {
    assert(size_before_main == 1);
    std::thread first([] { registry.add('b'); });
    std::thread second([] { registry.add('c'); });
    first.join();
    second.join();
    assert(registry.size() == 3);
}
