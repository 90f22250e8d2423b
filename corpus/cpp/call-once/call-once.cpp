// Two threads set something up by call_once; the function gets an argument.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int level;
static int calls;

static void set_up(int wanted) {
    calls++;
    level = wanted;
}

static void use() {
    std::call_once(once, set_up, 6);
    assert(level == 6);
}

int main() {
    std::thread first(use);
    std::thread second(use);
    first.join();
    second.join();
    assert(calls == 1);
}
