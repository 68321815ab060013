/// @file relay.hpp   Reductions of a vector whose segments go around the nodes.
#pragma once

#include <cstdint>

#include "emulator/base/types.hpp"
#include "emulator/node/exchange.hpp"

namespace kport {

/// The plan of a reduction of a vector that has as many segments as there are nodes. A node first sends its contribution to one
/// segment. In each folding step it folds its contribution to what comes, and sends that in the next step. Then it has the result of a
/// segment, which it keeps; in further steps it sends it on, and so it does with the results that come.
class SegmentRelay : public ValueExchange {
  public:
    [[nodiscard]] virtual unsigned folding_steps() const = 0;
    /// The segment to which node v contributes what it sends first.
    [[nodiscard]] virtual std::uint32_t first_segment(NodeId v) const = 0;

    /// folding_steps(), as known_steps().
    [[nodiscard]] unsigned known_folding_steps() const {
        return known_folding_steps_.at([this] { return folding_steps(); });
    }

    [[nodiscard]] Content content() const final { return Content::relayed_value; }
    [[nodiscard]] PacketSet packets(NodeId, const Act& act) const final {
        return PacketSet::range(act.what, std::uint64_t{act.what} + 1);
    }

  private:
    [[nodiscard]] Program program(Node& self) const final;
    [[nodiscard]] Act send(NodeId v, unsigned step, Port out) const final;

    mutable Answers<unsigned> known_folding_steps_{"SegmentRelay::folding_steps"};
};

}  // namespace kport
