/// @file lawful_main.cpp   lawful FOLDER: writes the lawful schedules from which mutants are made.
#include "tests/foreign/lawful.hpp"

#include <filesystem>
#include <fstream>

int main(int count, char** arguments) {
    if (count != 2) return 2;
    for (const auto& each : foreign::lawful_schedules())
        std::ofstream(std::filesystem::path(arguments[1]) / each.file) << each.text;
}
