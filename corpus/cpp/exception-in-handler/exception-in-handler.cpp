// What a handler throws leaves it: the exception that it handles ends then, and another handler gets the new one.
#include <cassert>
#include <thread>

static int ended;

struct First {
    ~First() { ended++; }
};

struct Positive {
    int value;
    // A constructor's own handler throws again at its end, whether or not it says so.
    explicit Positive(int wanted) try : value(wanted > 0 ? wanted : throw wanted) {
    } catch (int) {
    }
};

static int convert() {
    try {
        throw First();
    } catch (const First &) {
        throw 2;
    }
}

int main() {
    int got = 0;
    std::thread thread([&got] {
        try {
            convert();
        } catch (int number) {
            got += number;
        }
        try {
            Positive none(-4);
        } catch (int number) {
            got += number;
        }
    });
    thread.join();
    assert(got == -2);
    assert(ended == 1);
}
