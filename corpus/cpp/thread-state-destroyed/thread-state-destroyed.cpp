// A thread destroys what it was created with: the destructor of the captured object runs before the thread has ended.
#include <cassert>
#include <memory>
#include <thread>

static int ended = 0;

struct Token {
    ~Token() { ended += 1; }
};

int main() {
    auto token = std::make_unique<Token>();
    std::thread thread([held = std::move(token)] { assert(held && ended == 0); });
    thread.join();
    assert(ended == 1);
    return 0;
}
