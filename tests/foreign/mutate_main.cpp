/// @file mutate_main.cpp   mutate FILE SEED: prints the file with a small random change.
#include "tests/foreign/mutate.hpp"
#include "tests/foreign/verdict.hpp"

#include <iostream>
#include <string>

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "mutate FILE SEED\n";
        return 2;
    }
    std::cout << foreign::mutate(foreign::contents_of(arguments[1]), std::stoull(arguments[2]));
}
