/// @file forked_ranks.hpp   Ranks that are processes, forked from one.
#pragma once

#include <memory>

#include "emulator/ranks/ranks.hpp"

namespace kport {

/// Most that fork_ranks() makes.
inline constexpr unsigned forked_ranks_max = 16;

/// Forks this process, which becomes rank 0, into `size` ranks, 1 to forked_ranks_max. Returns in each. Letters go through memory that
/// the ranks share.
///
/// The other ranks are killed when rank 0 ends. If one of them ends first, the next exchange() of rank 0 that waits for it throws
/// std::runtime_error; abort() ends the own rank.
///
/// Callers   the only thread of the process.
/// Errors    std::system_error where the system gives no process or no memory.
[[nodiscard]] std::unique_ptr<Ranks> fork_ranks(unsigned size);

}  // namespace kport
