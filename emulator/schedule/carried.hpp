/// @file carried.hpp   What the messages of a recorded schedule carry.
#pragma once

#include "emulator/schedule/collective.hpp"

namespace kport {

/// Returns the collective whose packets the messages of a recorded run have: the given one, but of groups contents, since a recorded message
/// of a group is known by its bytes alone.
[[nodiscard]] Collective carried_in(const Collective& collective);

}  // namespace kport
