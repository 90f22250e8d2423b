// Handlers get the part of an exception that they name, and destructors run on the way to them.
#include <cassert>
#include <stdexcept>
#include <string>
#include <thread>

struct Code {
    int code = 1;
    virtual ~Code() {}
};
struct Place {
    int line = 2;
    virtual ~Place() {}
};
struct Failure : Code, Place {
    int detail = 3;
};

static int ended;

struct Guard {
    ~Guard() { ended++; }
};

static void fail(int how) {
    Guard guard;
    static int number = 7;
    if (how == 0)
        throw Failure();
    if (how == 1)
        throw &number;
    throw std::out_of_range("far");
}

static void use() {
    try {
        fail(0);
    } catch (Place &place) {
        assert(place.line == 2);
    }
    try {
        try {
            fail(0);
        } catch (...) {
            throw;
        }
    } catch (const Failure &failure) {
        assert(failure.code == 1 && failure.line == 2 && failure.detail == 3);
    }
    try {
        fail(1);
    } catch (const int *number) {
        assert(*number == 7);
    }
    try {
        fail(2);
    } catch (const std::logic_error &error) {
        assert(error.what() == std::string("far"));
    }
    assert(ended == 4);
}

int main() {
    std::thread thread(use);
    thread.join();
}
