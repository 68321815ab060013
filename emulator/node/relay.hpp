/// @file relay.hpp   Reductions of a vector whose segments go around the nodes.
#pragma once

#include <cstdint>
#include <memory>

#include "emulator/base/types.hpp"
#include "emulator/node/program.hpp"
#include "emulator/node/virtual_node.hpp"

namespace kport {

/// The whole text of a reduction of a vector that has as many segments as there are nodes. A node first sends its contribution to one
/// segment. With what comes in a step it folds its contribution to the same segment, and sends that in the next step. After the
/// folding steps it has the result of a segment. That is its result, or, if steps are left, it keeps it and sends it on, and so
/// it does with the results that come: then the whole vector is its result.
///
/// Callers   several threads. What it says follows from the arguments alone.
class SegmentRelay {
  public:
    SegmentRelay() = default;
    SegmentRelay(const SegmentRelay&) = delete;
    SegmentRelay& operator=(const SegmentRelay&) = delete;
    virtual ~SegmentRelay() = default;

    [[nodiscard]] virtual unsigned folding_steps() const = 0;
    /// Of both kinds.
    [[nodiscard]] virtual unsigned steps() const = 0;
    /// By which port all nodes send in a step from 0 on, and by which they receive.
    struct Ports {
        Port out = no_port;
        Port in = no_port;
        bool operator==(const Ports&) const = default;
    };
    [[nodiscard]] virtual Ports ports(unsigned step) const = 0;
    /// To which node v contributes what it sends first.
    [[nodiscard]] virtual std::uint32_t first_segment(NodeId v) const = 0;
};

/// The node programs of a relay, as a job's program (Job::program). An engine that finds one there may keep of a node no more than
/// its values (engine/exchange_run.hpp): the run is the same.
///
/// What holds for all nodes it asks the text for when that is first needed, and remembers (node/answers.hpp).
class RelayProgram {
  public:
    /// Throws RequestError for null.
    explicit RelayProgram(std::shared_ptr<const SegmentRelay> relay);

    /// The program of a node. It refers to this object.
    [[nodiscard]] Program operator()(Node& self) const;

    /// Of the text. Throw what it throws, and std::invalid_argument where it gives two answers.
    [[nodiscard]] unsigned folding_steps() const;
    [[nodiscard]] unsigned steps() const;
    [[nodiscard]] SegmentRelay::Ports ports(unsigned step) const;
    [[nodiscard]] std::uint32_t first_segment(NodeId v) const { return relay_->first_segment(v); }

  private:
    struct Heard;
    std::shared_ptr<const SegmentRelay> relay_;
    std::shared_ptr<Heard> heard_;
};

}  // namespace kport
