/// @file own_folds.hpp   Folds of a collective of one's own: which node takes the fold of which contributions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "emulator/base/types.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// A fold that a node takes: of the contributions of some nodes to a segment, each once.
struct TakenFold {
    NodeId node = 0;
    std::uint32_t segment = 0;
    PacketSet of = {};      ///< the nodes, as contributions in row 0
    bool in_order = false;  ///< ascending, and of these nodes only neighbours are folded
};

/// All folds that are taken. Sets of contributions to one segment are in row 0.
///
/// Callers   any thread.
class OwnFolds {
  public:
    explicit OwnFolds(std::vector<TakenFold> takes);

    /// By node, then by segment.
    [[nodiscard]] std::span<const TakenFold> all() const { return takes_; }
    /// The contributions of which a node takes folds, by segment (the rows).
    [[nodiscard]] PacketSet wanted(NodeId v) const;
    [[nodiscard]] bool takes(NodeId v) const;
    /// Those of a node, by segment.
    [[nodiscard]] std::span<const TakenFold> of(NodeId v) const;
    /// Null: it takes none of the segment.
    [[nodiscard]] const TakenFold* taken(NodeId v, std::uint32_t segment) const;
    [[nodiscard]] bool takes_in_order(NodeId v, std::uint32_t segment) const;
    /// The contributions of which a segment's result is made, as it is passed on after the fold: those that all who take the segment
    /// take. Empty where they take different ones: then there is no such packet.
    [[nodiscard]] const PacketSet& in_result(std::uint32_t segment) const;
    /// Whether some fold is taken in order.
    [[nodiscard]] bool has_orders() const { return has_orders_; }
    /// Whether these contributions to a segment may be one value: no list that is taken in order has all of them, or in one that has
    /// they stand side by side.
    [[nodiscard]] bool are_in_order(std::uint32_t segment, const PacketSet& contributions) const;
    /// Whether contributions that are one value may be a part of the value of `all`: no list that is taken in order has all of these, or
    /// the part stands side by side among them.
    [[nodiscard]] bool fits_in_order(std::uint32_t segment, const PacketSet& part, const PacketSet& all) const;
    /// Whether several nodes take the same fold.
    [[nodiscard]] bool has_several_holders() const { return has_several_holders_; }

  private:
    struct OfSegment {
        std::vector<PacketSet> lists = {};   ///< that are taken, each once
        std::vector<PacketSet> orders = {};  ///< those that are taken in order
        PacketSet result = {};
    };
    std::vector<TakenFold> takes_;
    std::map<std::uint32_t, OfSegment> segments_;
    bool has_orders_ = false;
    bool has_several_holders_ = false;
};

}  // namespace kport
