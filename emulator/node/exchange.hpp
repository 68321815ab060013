/// @file exchange.hpp   Reductions in which all nodes exchange values by the same ports, step after step, or send segments around.
#pragma once

#include <cstdint>

#include "emulator/base/types.hpp"
#include "emulator/node/answers.hpp"
#include "emulator/node/plan.hpp"

namespace kport {

/// The plan of a reduction in which all nodes exchange: in each step a node sends what it has folded, its contribution at first, and
/// then folds what comes. In a scan, what comes from lower nodes also goes into its result. Where values are single numbers an engine
/// may keep only the values of a node (engine/exchange_run.hpp).
///
/// Callers   several threads. The answers must follow from the arguments only; std::invalid_argument ends the run as an error of the
///           program where they do not.
class ValueExchange : public Plan {
  public:
    /// The ports of a step. All nodes send by one and receive by the other.
    struct Ports {
        Port out = no_port;
        Port in = no_port;
        bool operator==(const Ports&) const = default;
    };
    [[nodiscard]] virtual unsigned steps() const = 0;
    /// Of a step from 0 on.
    [[nodiscard]] virtual Ports ports(unsigned step) const = 0;

    /// steps() and ports(), asked when first needed and remembered for all nodes and runs. O(1).
    [[nodiscard]] unsigned known_steps() const {
        return known_steps_.at([this] { return steps(); });
    }
    [[nodiscard]] Ports known_ports(unsigned step) const;

    [[nodiscard]] Act next_act(NodeId v, std::uint64_t& place, Port in) const final;
    [[nodiscard]] Content content() const override { return Content::value; }

  private:
    [[nodiscard]] Program program(Node& self) const override;
    [[nodiscard]] virtual Act send(NodeId v, unsigned step, Port out) const;

    mutable Answers<unsigned> known_steps_{"ValueExchange::steps"};
    mutable Answers<Ports> known_ports_{"ValueExchange::ports"};
};

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
