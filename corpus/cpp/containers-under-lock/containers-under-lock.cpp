// Containers whose compiled parts are in the library: trees, lists, hash tables, texts.
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>

static std::mutex guard;
static std::map<int, int> doubles;
static std::set<int> seen;
static std::list<int> order;
static std::unordered_map<std::string, int> sums;

static void add(int number) {
    std::lock_guard<std::mutex> held(guard);
    doubles[number] = 2 * number;
    seen.insert(number);
    order.push_back(number);
    std::ostringstream name;
    name << "n" << number % 2;
    sums[name.str()] += number;
}

int main() {
    std::thread first(add, 1), second(add, 3);
    first.join();
    second.join();
    add(2);
    assert(doubles.size() == 3 && doubles[3] == 6 && doubles.begin()->first == 1);
    doubles.erase(1);
    assert(doubles.begin()->first == 2 && doubles.rbegin()->first == 3);
    assert(seen.count(1) && !seen.count(4));
    assert(order.size() == 3 && order.back() == 2);
    assert(sums["n1"] == 4 && sums.at("n0") == 2);
}
