/// @file notes.hpp   What one node's program notes during a run.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "emulator/node/node.hpp"

namespace kport::test {

/// The notes of one node during a run. Programs share nothing; the test observes one of them.
using Notes = std::vector<std::string>;

inline std::string told(const Arrival& arrival, Round now) {
    return fmt::format("{} by {} in {} at {}", arrival.from, arrival.port, arrival.round, now);
}

}  // namespace kport::test
