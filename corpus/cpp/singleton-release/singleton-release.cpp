// A lazily built object behind a pointer, built under a mutex; the pointer is stored release.
#include <atomic>
#include <cassert>
#include <pthread.h>

struct Table {
    int first = 0;
    int second = 0;
};

static Table storage;
static std::atomic<Table *> instance{nullptr};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static Table *get() {
    Table *table = instance.load(std::memory_order_acquire);
    if (table == nullptr) {
        pthread_mutex_lock(&mutex);
        table = instance.load(std::memory_order_relaxed);
        if (table == nullptr) {
            storage.first = 3;
            storage.second = 4;
            table = &storage;
            instance.store(table, std::memory_order_release);
        }
        pthread_mutex_unlock(&mutex);
    }
    return table;
}

static void *user(void *) {
    const Table *table = get();
    assert(table->first == 3);
    assert(table->second == 4);
    return nullptr;
}

int main() {
    pthread_t first, second;
    pthread_create(&first, nullptr, user, reinterpret_cast<void *>(0));
    pthread_create(&second, nullptr, user, reinterpret_cast<void *>(1));
    pthread_join(first, nullptr);
    pthread_join(second, nullptr);
    return 0;
}
