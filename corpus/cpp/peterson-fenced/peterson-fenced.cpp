// Peterson's lock as a class, for ever, with its fences.
#include <atomic>
#include <cassert>
#include <pthread.h>

class Peterson {
public:
    void lock(int me) {
        const int other = 1 - me;
        flag[me].store(true, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        turn.store(other, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        while (flag[other].load(std::memory_order_relaxed) && turn.load(std::memory_order_relaxed) == other) {
        }
    }

    void unlock(int me) {
        flag[me].store(false, std::memory_order_relaxed);
    }

private:
    std::atomic<bool> flag[2];
    std::atomic<int> turn;
};

static Peterson mutex;

static std::atomic<int> inside{0};

static void critical_section() {
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
}

static void *worker(void *argument) {
    const int me = argument != nullptr;
    for (;;) {
        mutex.lock(me);
        critical_section();
        mutex.unlock(me);
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
