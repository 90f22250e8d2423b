// A ring as a class template: one producer, one consumer, for ever; the indices are stored release.
#include <atomic>
#include <cassert>
#include <pthread.h>

template <typename T, unsigned Size>
class Ring {
public:
    bool push(T value) {
        const unsigned t = tail.load(std::memory_order_relaxed);
        if ((t + 2 * Size - head.load(std::memory_order_acquire)) % (2 * Size) == Size)
            return false;
        slots[t % Size] = value;
        tail.store((t + 1) % (2 * Size), std::memory_order_release);
        return true;
    }

    bool pop(T &value) {
        const unsigned h = head.load(std::memory_order_relaxed);
        if (tail.load(std::memory_order_acquire) == h)
            return false;
        value = slots[h % Size];
        head.store((h + 1) % (2 * Size), std::memory_order_release);
        return true;
    }

private:
    std::atomic<unsigned> head, tail;
    T slots[Size];
};

static Ring<int, 2> ring;

static void *producer(void *) {
    for (int value = 1;; value = value == 3 ? 1 : value + 1) {
        while (!ring.push(value)) {
        }
    }
    return nullptr;
}

static void *consumer(void *) {
    for (int expected = 1;; expected = expected == 3 ? 1 : expected + 1) {
        int value = 0;
        while (!ring.pop(value)) {
        }
        assert(value == expected);
    }
    return nullptr;
}

int main() {
    pthread_t first, second;
    pthread_create(&first, nullptr, producer, reinterpret_cast<void *>(0));
    pthread_create(&second, nullptr, consumer, reinterpret_cast<void *>(1));
    pthread_join(first, nullptr);
    pthread_join(second, nullptr);
    return 0;
}
