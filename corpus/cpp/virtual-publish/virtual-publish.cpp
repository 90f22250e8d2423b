// An object with virtual functions is made by one thread and called by another; its address is stored relaxed.
#include <atomic>
#include <cassert>
#include <thread>

struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
};

struct Square : Shape {
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
    int side;
};

static std::atomic<Shape *> published{nullptr};

int main() {
    std::thread maker([] { published.store(new Square(3), std::memory_order_relaxed); });
    Shape *shape = published.load(std::memory_order_acquire);
    if (shape != nullptr)
        assert(shape->area() == 9);
    maker.join();
    delete published.load();
}
