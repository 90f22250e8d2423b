// Threads in a vector; each captures the loop variable by reference.
#include <cassert>
#include <thread>
#include <vector>

int main() {
    int marks[3] = {};
    std::vector<std::thread> threads;
    int i;
    for (i = 0; i < 2; i++)
        threads.emplace_back([&marks, &i] { marks[i] = 1; });
    for (auto &thread : threads)
        thread.join();
    assert(marks[0] == 1);
    assert(marks[1] == 1);
}
