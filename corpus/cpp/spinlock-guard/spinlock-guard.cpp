// A spin lock with a guard, around plain data; the unlock is release.
#include <atomic>
#include <cassert>
#include <pthread.h>

class SpinLock {
public:
    void lock() {
        while (held.exchange(true, std::memory_order_acquire)) {
        }
    }

    void unlock() {
        held.store(false, std::memory_order_release);
    }

private:
    std::atomic<bool> held{false};
};

class Guard {
public:
    explicit Guard(SpinLock &lock) : lock(lock) {
        lock.lock();
    }

    ~Guard() {
        lock.unlock();
    }

    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

private:
    SpinLock &lock;
};

static SpinLock mutex;
static int item;

static void *worker(void *) {
    for (;;) {
        Guard guard(mutex);
        assert(item == 0);
        item = 1;
        item = 0;
    }
    return nullptr;
}

int main() {
    pthread_t first, second;
    pthread_create(&first, nullptr, worker, reinterpret_cast<void *>(0));
    pthread_create(&second, nullptr, worker, reinterpret_cast<void *>(1));
    pthread_join(first, nullptr);
    pthread_join(second, nullptr);
    return 0;
}
