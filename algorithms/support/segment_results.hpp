/// @file segment_results.hpp   The results of a node that gets a vector's segments one by one.
#pragma once

#include <vector>

#include "emulator/node/node.hpp"

namespace kport {

/// What a node contributes to one segment of the vector.
[[nodiscard]] inline Value contribution_to(Node& self, NodeId segment) {
    return self.contribution(PacketSet::range(segment, segment + 1));
}

/// Makes the segments, all of them and in order, the node's result.
inline void put_results(Node& self, const std::vector<Value>& segments) {
    std::vector<const Value*> all;
    for (const Value& segment : segments) all.push_back(&segment);
    self.result(self.concatenate(all));
}

}  // namespace kport
