// Members of a class lock its recursive mutex and call each other.
#include <cassert>
#include <mutex>
#include <thread>

class Account {
public:
    void add(int amount) {
        std::lock_guard<std::recursive_mutex> guard(mutex);
        money += amount;
    }

    void add_twice(int amount) {
        std::lock_guard<std::recursive_mutex> guard(mutex);
        add(amount);
        add(amount);
        assert(money % 2 == 0);
    }

    int balance() const { return money; }

private:
    std::recursive_mutex mutex;
    int money = 0;
};

int main() {
    Account account;
    std::thread first(&Account::add_twice, &account, 1);
    std::thread second(&Account::add_twice, &account, 2);
    first.join();
    second.join();
    assert(account.balance() == 6);
}
