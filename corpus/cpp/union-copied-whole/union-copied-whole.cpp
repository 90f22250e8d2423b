// A union of four bytes and a number is copied as a whole, though the compiler writes its initial value as bytes.
#include <cassert>
#include <cstdint>
#include <thread>

union Word {
    std::uint8_t bytes[4];
    std::uint32_t number;
};

static Word shared = {};
static Word seen = {};

static void reader() {
    Word copy = shared;
    seen = copy;
}

int main() {
    std::thread thread(reader);
    Word next;
    next.number = 0x01010101;
    shared = next;
    thread.join();
    assert(seen.number == 0 || seen.number == 0x01010101);
    return 0;
}
