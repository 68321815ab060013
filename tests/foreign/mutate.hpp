/// @file mutate.hpp   Small random changes of schedule files that stay plausible.
#pragma once

#include <cstdint>
#include <string>

namespace foreign {

/// The text of a schedule with one change, seldom two: an entry deleted, doubled or moved, a number or a word changed. The format is
/// found from the text. Deterministic in `seed`, which differs between machines in nothing.
std::string mutate(const std::string& text, std::uint64_t seed);

}  // namespace foreign
