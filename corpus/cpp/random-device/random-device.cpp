// A random device gives any number, also twice the same.
#include <cassert>
#include <random>

int main() {
    std::random_device device;
    unsigned first = device();
    assert(first != device());
}
