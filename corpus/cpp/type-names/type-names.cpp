// Types of the language and of the library are told apart by their names, whichever file their type information is in.
#include <any>
#include <cassert>
#include <map>
#include <string>
#include <thread>
#include <typeindex>
#include <typeinfo>

int main() {
    std::any value = 1;
    std::thread thread([&] {
        assert(typeid(int) != typeid(float));
        assert(value.type() == typeid(int));
        assert(std::any_cast<float>(&value) == nullptr);
        assert(std::any_cast<std::string>(&value) == nullptr);
        assert(*std::any_cast<int>(&value) == 1);
    });
    std::map<std::type_index, int> sizes{{typeid(char), 1}, {typeid(int *), 8}};
    assert(sizes.at(typeid(char)) == 1);
    assert(sizes.at(typeid(int *)) == 8);
    assert(typeid(unsigned long).name() == std::string("m"));
    thread.join();
}
