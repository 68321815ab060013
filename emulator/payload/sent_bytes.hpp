/// @file sent_bytes.hpp   The bytes of a broadcast's packet at the time they were sent.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/base/types.hpp"

namespace kport {

/// Kept for messages whose receiver cannot read the sender's memory later: the sender is on another rank, or did not
/// hold the packet and may get it before the message moves. By sender and receiver; if several wait, those of the last
/// one.
///
/// Callers   put(), clear(): one task; of(): any, at other times.
class SentBytes {
  public:
    [[nodiscard]] bool empty() const { return places_.empty(); }
    void put(NodeId from, NodeId to, std::span<const std::byte> bytes) {
        const auto [place, is_new] = places_.try_emplace(key(from, to), bytes_.size());
        if (is_new)
            bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        else
            std::memcpy(bytes_.data() + place->second, bytes.data(), bytes.size());
    }
    /// Returns null if the sender's memory still has them.
    [[nodiscard]] const std::byte* of(NodeId from, NodeId to) const {
        const auto found = places_.find(key(from, to));
        return found != places_.end() ? bytes_.data() + found->second : nullptr;
    }
    void clear() {
        places_.clear();
        bytes_.clear();
    }

  private:
    static std::uint64_t key(NodeId from, NodeId to) { return from << 32 | to; }

    std::unordered_map<std::uint64_t, std::size_t> places_;  ///< index in `bytes_`
    std::vector<std::byte> bytes_;
};

}  // namespace kport
