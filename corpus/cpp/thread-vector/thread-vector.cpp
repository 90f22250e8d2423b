// Threads in a vector; each captures its number by value.
#include <cassert>
#include <thread>
#include <vector>

int main() {
    int squares[3] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&squares, i] { squares[i] = i * i; });
    for (auto &thread : threads)
        thread.join();
    assert(squares[0] + squares[1] + squares[2] == 5);
}
