// A thread that was joined is gone: `detach` throws std::system_error, and nobody catches it.
#include <thread>

int main() {
    std::thread thread([] {});
    thread.join();
    thread.detach();
}
