// Dekker-style flags: each thread enters only if the other has not announced itself; announcements are release stores.
#include <atomic>
#include <cassert>
#include <pthread.h>

static std::atomic<bool> here[2];

static std::atomic<int> inside{0};

static void critical_section() {
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
}

static void *worker(void *argument) {
    const int me = argument != nullptr;
    for (;;) {
        here[me].store(true, std::memory_order_release);
        if (!here[1 - me].load(std::memory_order_acquire))
            critical_section();
        here[me].store(false, std::memory_order_release);
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
