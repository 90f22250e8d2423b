// A static object of a function, built by the first of two threads that needs it.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> constructions{0};

struct Table {
    int first, second;
    Table() : first(3), second(4) { constructions++; }
};

static const Table &table() {
    static const Table instance;
    return instance;
}

static void use() { assert(table().first == 3 && table().second == 4); }

int main() {
    std::thread first(use);
    std::thread second(use);
    first.join();
    second.join();
    assert(constructions == 1);
}
