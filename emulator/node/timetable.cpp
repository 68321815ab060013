#include "emulator/node/timetable.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/node/node.hpp"
#include "emulator/node/timetable_lines.hpp"

namespace kport {

namespace {

/// Empty lines in a row that next() may leave unskipped; a text without an end has more.
constexpr Round empty_lines_max = 1U << 24;
constexpr Round last_line_max = ~Round{0} - 1;

Program follow(Node& self, const Timetable& timetable) {
    const NodeId v = self.id();
    const Round last = round_of_last_line(timetable, v);
    NextLine next = next_line(timetable, v, round_of_first_line(timetable, v), last);
    for (; next.round != 0; next = next_line(timetable, v, next.round + 1, last)) {
        if (next.line.to != no_node) {
            co_await self.until(next.round);
            co_await self.send_to(next.line.to, Packet(next.line.packet));
        }
        if (next.line.from != no_node) co_await self.receive_from(next.line.from);
    }
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
        const TimetableLine line = timetable.line(v, round);
        if (line.to != no_node || line.from != no_node) return {round, line};
        from = round + 1;
    }
    throw std::invalid_argument(
        fmt::format("the timetable of node {} has {} empty lines before round {}; want a next() "
                    "that skips them",
                    v, empty_lines_max, from));
}

TimetableProgram::TimetableProgram(std::shared_ptr<const Timetable> timetable) : timetable_(std::move(timetable)) {
    if (timetable_ == nullptr) throw RequestError("a timetable without a text; want a Timetable");
}

Program TimetableProgram::operator()(Node& self) const { return follow(self, *timetable_); }

}  // namespace kport
