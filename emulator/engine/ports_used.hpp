/// @file ports_used.hpp   The ports by which the current node has sent in this round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/base/huge_array.hpp"
#include "emulator/base/types.hpp"

namespace kport {

/// A set of ports, emptied at once for each node. A machine of few ports at a time keeps a list; one of many an array with
/// a stamp for each port label, which a complete graph of a million nodes could not afford for two sends.
///
/// Callers   one task.  Cost O(1) a call, O(k) with a list.
class PortsUsed {
  public:
    /// `limit`: the ports that a node may use at a time; `labels`: port labels of the topology.
    PortsUsed(Port limit, Port labels) : list_limit_(limit), stamps_(limit > list_max ? labels : 0) {}

    void restart() {
        ++stamp_;
        list_.clear();
    }
    [[nodiscard]] bool contains(Port port) const {
        if (list_limit_ > list_max) return stamps_[port] == stamp_;
        return std::find(list_.begin(), list_.end(), port) != list_.end();
    }
    void add(Port port) {
        if (list_limit_ > list_max)
            stamps_[port] = stamp_;
        else if (list_limit_ > 1)  // one port sends once
            list_.push_back(port);
    }

  private:
    static constexpr Port list_max = 8;
    Port list_limit_;
    std::uint64_t stamp_ = 1;  // the zeros of the array are of no node
    HugeArray<std::uint64_t> stamps_;
    std::vector<Port> list_;
};

}  // namespace kport
