// One thread replaces what a shared pointer points to, another one reads it, by the atomic operations of the library.
#include <cassert>
#include <memory>
#include <thread>

static std::shared_ptr<int> shared = std::make_shared<int>(0);

int main() {
    std::thread writer([] { std::atomic_store(&shared, std::make_shared<int>(1)); });
    std::thread reader([] {
        auto seen = std::atomic_load(&shared);
        assert(*seen == 0 || *seen == 1);
    });
    writer.join();
    reader.join();
    assert(*shared == 1 && shared.use_count() == 1);
}
