/// @file lawful.hpp   Writes lawful schedules, from which mutants are made.
#pragma once

#include <string>
#include <vector>

namespace foreign {

/// A lawful schedule of a format: its file's name, its text, and the operation to name on the command line, if any.
struct Lawful {
    std::string file, text, operation;
};

/// Schedules of 3 to 5 ranks in each format.
std::vector<Lawful> lawful_schedules();

}  // namespace foreign
