#include "emulator/node/timetable.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "emulator/node/follower.hpp"

namespace kport {

namespace {

/// Empty lines in a row that next() may leave unskipped; a text without an end has more.
constexpr Round empty_lines_max = 1U << 24;
constexpr Round last_line_max = ~Round{0} - 1;

/// A place: the round of the line at hand in the lower half; in the upper half of whom it still receives, plus 1, or 0.
constexpr int sender_shift = 32;
constexpr NodeId no_sender = no_port - 1;  // nodes have smaller numbers

std::uint64_t place_of(Round round, NodeId from) {
    const std::uint64_t sender = from == no_node ? 0 : std::min(from, no_sender) + 1;
    return sender << sender_shift | round;
}

}  // namespace

Round round_of_first_line(const Timetable& timetable, NodeId v) {
    const Round first = timetable.first(v);
    if (first == 0)
        throw std::invalid_argument(fmt::format("the first line of node {} is in round 0; rounds count from 1", v));
    return first;
}

Round round_of_last_line(const Timetable& timetable, NodeId v) {
    const Round last = timetable.last(v);
    if (last > last_line_max)
        throw std::invalid_argument(
            fmt::format("the last line of node {} is in round {}; want {} at most", v, last, last_line_max));
    return last;
}

Round next_round(const Timetable& timetable, NodeId v, Round from, Round last) {
    if (from > last) return 0;
    const Round next = timetable.next(v, from);
    if (next < from)
        throw std::invalid_argument(fmt::format(
            "the timetable of node {} goes back: next({}) is {}; want that round or a later one", v, from, next));
    return next > last ? 0 : next;
}

NextLine next_line(const Timetable& timetable, NodeId v, Round from, Round last) {
    for (Round empty = 0; empty < empty_lines_max; ++empty) {
        const Round round = next_round(timetable, v, from, last);
        if (round == 0) return {};
        TimetableLine line = timetable.line(v, round);
        line.packet = std::min<PacketId>(line.packet, no_port);  // as an act has it: no packet has a larger number
        if (line.to != no_node || line.from != no_node) return {round, line};
        from = round + 1;
    }
    throw std::invalid_argument(
        fmt::format("the timetable of node {} has {} empty lines before round {}; want a next() "
                    "that skips them",
                    v, empty_lines_max, from));
}

Act Timetable::next_act(NodeId v, std::uint64_t& place, Port) const {
    const auto round = static_cast<Round>(place);
    if (const NodeId sender = place >> sender_shift; sender != 0) {
        place = round;
        return Act::receive_from(sender - 1 < no_sender ? sender - 1 : no_node);
    }
    const Round last = round_of_last_line(*this, v);
    const NextLine next = next_line(*this, v, round == 0 ? round_of_first_line(*this, v) : round + 1, last);
    const bool sends = next.line.to != no_node;
    place = place_of(next.round, sends ? next.line.from : no_node);
    if (sends) return Act::send_to(next.line.to, next.line.packet, next.round);
    return next.round == 0 ? Act::end() : Act::receive_from(next.line.from);
}

Program Timetable::program(Node& self) const {
    using namespace following;
    return follow_acts(Follower<OnePacket<false>, Timetable>(self, *this));
}

}  // namespace kport
