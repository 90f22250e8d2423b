// Of two withdrawals one fails with an exception, out of a scope that holds the mutex.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex mutex;
static int money = 5;
static int failures;

static void withdraw(int amount) {
    std::lock_guard<std::mutex> guard(mutex);
    if (money < amount)
        throw std::runtime_error("not enough");
    money -= amount;
}

static void customer() {
    try {
        withdraw(3);
    } catch (const std::exception &) {
        std::lock_guard<std::mutex> guard(mutex);
        failures++;
    }
}

int main() {
    std::thread first(customer);
    std::thread second(customer);
    first.join();
    second.join();
    assert(money == 2);
    assert(failures == 1);
}
