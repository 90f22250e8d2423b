// A function that call_once runs and that throws has not run: the next one tries again.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int calls;
static bool is_ready;

static void set_up() {
    if (++calls == 1)
        throw 1;
    is_ready = true;
}

static void use() {
    try {
        std::call_once(once, set_up);
    } catch (int) {
        std::call_once(once, set_up);
    }
    assert(is_ready);
}

int main() {
    std::thread first(use), second(use);
    first.join();
    second.join();
    assert(calls == 2);
}
