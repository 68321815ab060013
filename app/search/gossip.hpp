/// @file gossip.hpp   Fast gossip schedules that need not be the shortest.
#pragma once

#include "algorithms/planning/room.hpp"
#include "app/search/problem.hpp"

namespace kport::search {

/// What a node may do in a round of the mode.
[[nodiscard]] inline planning::Calling calling_in(Mode mode, Port ports) {
    return {PortLimit(ports), mode == Mode::telephone, mode == Mode::telegraph};
}

/// Collects everything at one node and distributes it: a broadcast backwards and forwards. The middle call goes both
/// ways at once, except in telegraph mode. `broadcast` starts at one node.
[[nodiscard]] Calls there_and_back(const Calls& broadcast, Mode mode);

}  // namespace kport::search
