// The size is asked for and then the element, while another thread empties the vector: the library throws.
#include <mutex>
#include <thread>
#include <vector>

static std::mutex guard;
static std::vector<int> values{1};

static bool has_any() {
    std::lock_guard<std::mutex> held(guard);
    return !values.empty();
}

static int first() {
    std::lock_guard<std::mutex> held(guard);
    return values.at(0);
}

int main() {
    std::thread reader([] {
        if (has_any())
            first();
    });
    std::thread writer([] {
        std::lock_guard<std::mutex> held(guard);
        values.clear();
    });
    reader.join();
    writer.join();
}
