/// @file timetable.hpp   Broadcasts in which a rule says what a node sends in a round, and of whom it receives.
#pragma once

#include <cstdint>

#include "emulator/base/types.hpp"
#include "emulator/node/plan.hpp"

namespace kport {

/// What a node does in a round: it sends one packet at most, and receives one message at most.
struct TimetableLine {
    NodeId to = no_node;  ///< to whom it sends `packet`; no_node: it does not send
    PacketId packet = 0;
    NodeId from = no_node;  ///< of whom it receives; no_node: it does not receive
};

/// The plan of such a broadcast, by the lines of all nodes: each node does one line after the other, a line's send no earlier than in
/// its round, and its receive before the next line. It begins with the first message that comes to it, the source in round 1. A
/// run asks for each line of a node once, in order; one that breaks a rule may be repeated. An engine may keep of a node no more than
/// its line and for whom it waits (engine/partition_timetable.cpp, engine/partition_in_step.cpp).
///
/// Callers   several threads. What it answers follows from the arguments only. Where it cannot be, std::invalid_argument ends the run as
///           a program's error: a first line in round 0, a last one behind round 2^32 - 2, a next() that goes back, or 2^24 empty
///           lines that next() does not skip.
class Timetable : public Plan {
  public:
    /// The rounds, from 1 on, of the first and the last line of node v; it has none if the first one is behind the last.
    [[nodiscard]] virtual Round first(NodeId v) const = 0;
    [[nodiscard]] virtual Round last(NodeId v) const = 0;
    /// The earliest round, from this one on, in which node v may have something to do: lines before it are empty, and not asked for.
    /// Where nodes are idle for long this is what keeps the cost of a run with its messages.
    [[nodiscard]] virtual Round next(NodeId, Round round) const { return round; }
    [[nodiscard]] virtual TimetableLine line(NodeId v, Round round) const = 0;

    [[nodiscard]] Act next_act(NodeId v, std::uint64_t& place, Port in) const final;
    [[nodiscard]] Content content() const final { return Content::packet; }

  private:
    [[nodiscard]] Program program(Node& self) const final;
};

/// Of a node's lines, one after the other, each asked for once: a line, and its round; round 0: there is none.
struct NextLine {
    Round round = 0;
    TimetableLine line;
};

/// The round of a node's first line, and of its last. Throw std::invalid_argument for a round that no run has, and what the text throws.
[[nodiscard]] Round round_of_first_line(const Timetable& timetable, NodeId v);
[[nodiscard]] Round round_of_last_line(const Timetable& timetable, NodeId v);
/// The round, from this one on, in which the node may have something to do; 0: in none up to the last. Throws
/// std::invalid_argument where the text goes back, and what it throws.
[[nodiscard]] Round next_round(const Timetable& timetable, NodeId v, Round from, Round last);
/// The first line from a round on that is not empty. Throws as next_round(), and std::invalid_argument where there are millions of
/// empty lines before it.
[[nodiscard]] NextLine next_line(const Timetable& timetable, NodeId v, Round from, Round last);

}  // namespace kport
