/// @file timetable.hpp   Broadcasts in which a rule says what a node sends in a round, and of whom it receives.
#pragma once

#include <memory>

#include "emulator/base/types.hpp"
#include "emulator/node/program.hpp"
#include "emulator/node/virtual_node.hpp"

namespace kport {

/// What a node does in a round: it sends one packet at most, and receives one message at most.
struct TimetableLine {
    NodeId to = no_node;  ///< to whom it sends `packet`; no_node: to nobody
    PacketId packet = 0;
    NodeId from = no_node;  ///< of whom it receives; no_node: of nobody
};

/// The lines of all nodes. This is the whole text of such an algorithm: each node does one line after the other, a line's send no
/// earlier than in its round, and its receive before the next line. It begins with the first message that comes to it, the source
/// in round 1. A node's program asks for each line once, in order; a run that breaks a rule may be begun twice.
///
/// Callers   several threads. What it says follows from the arguments alone. Where it cannot be, std::invalid_argument ends the run as
///           a program's error: a first line in round 0, a last one behind round 2^32 - 2, a next() that goes back, or 2^24 empty
///           lines that next() does not skip.
class Timetable {
  public:
    Timetable() = default;
    Timetable(const Timetable&) = delete;
    Timetable& operator=(const Timetable&) = delete;
    virtual ~Timetable() = default;

    /// The rounds, from 1 on, of the first and the last line of node v; it has none if the first one is behind the last.
    [[nodiscard]] virtual Round first(NodeId v) const = 0;
    [[nodiscard]] virtual Round last(NodeId v) const = 0;
    /// The earliest round, from this one on, in which node v may have something to do: lines before it are empty, and nobody asks for
    /// them. Where nodes are idle for long this is what keeps the cost of a run with its messages.
    [[nodiscard]] virtual Round next(NodeId, Round round) const { return round; }
    [[nodiscard]] virtual TimetableLine line(NodeId v, Round round) const = 0;
};

/// The node programs of a timetable, as a job's program (Job::program). An engine that finds one there may keep of a node no more
/// than its line and for whom it waits (engine/partition_timetable.cpp, engine/partition_in_step.cpp): the run is the same.
class TimetableProgram {
  public:
    /// Throws RequestError for null.
    explicit TimetableProgram(std::shared_ptr<const Timetable> timetable);

    /// The program of a node. It refers to this object.
    [[nodiscard]] Program operator()(Node& self) const;

    [[nodiscard]] const Timetable& timetable() const { return *timetable_; }

  private:
    std::shared_ptr<const Timetable> timetable_;
};

}  // namespace kport
