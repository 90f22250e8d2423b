// The owner of an object resets its pointer while a thread that borrowed it goes on.
#include <cassert>
#include <memory>
#include <thread>

struct Box {
    int value = 5;
};

int main() {
    auto owner = std::make_unique<Box>();
    const Box *borrowed = owner.get();
    std::thread reader([borrowed] { assert(borrowed->value == 5); });
    owner.reset();
    reader.join();
}
