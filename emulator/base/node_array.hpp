/// @file node_array.hpp   A value for each node that a process owns.
#pragma once

#include <cstddef>

#include "emulator/base/huge_array.hpp"
#include "emulator/base/node_share.hpp"

namespace KPORT_PUBLIC kport {

/// Indexed by node. Only the process's own nodes have values; access to others is undefined.
///
/// Callers, errors   as HugeArray.
template <class T>
class NodeArray {
  public:
    NodeArray() = default;
    /// Zeros for the own nodes among so many.
    explicit NodeArray(NodeId nodes, const NodeShare& share = {}) : share_(share), values_(share.places(nodes)) {}

    [[nodiscard]] bool empty() const { return values_.size() == 0; }
    // Inline: called several times for each message.
    [[gnu::always_inline]] T& operator[](NodeId v) { return values_[share_.place(v)]; }
    [[gnu::always_inline]] const T& operator[](NodeId v) const { return values_[share_.place(v)]; }

  private:
    NodeShare share_;
    HugeArray<T> values_;
};

}  // namespace kport
