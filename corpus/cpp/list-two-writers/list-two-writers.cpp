// A list that two threads add to without a lock loses an element.
#include <cassert>
#include <list>
#include <thread>

static std::list<int> order;

int main() {
    std::thread first([] { order.push_back(1); });
    std::thread second([] { order.push_back(2); });
    first.join();
    second.join();
    int count = 0;
    for (int number : order)
        count += number > 0;
    assert(count == 2);
}
