/// @file parameters.hpp   The data of both yardsticks.
#pragma once

#include <cstdint>

#include "emulator/base/types.hpp"

namespace kport::bench {

/// The 8 bytes of a broadcast.
inline constexpr std::uint64_t payload = 0x6b706f72742e2e2e;

/// A node's contribution to an exchange, and the result that all hold in the end.
[[nodiscard]] constexpr std::uint64_t contribution(NodeId v) { return 2 * v + 1; }
[[nodiscard]] constexpr std::uint64_t sum_of_contributions(NodeId nodes) { return nodes * nodes; }

}  // namespace kport::bench
