#include "emulator/node/timetable.hpp"

#include <utility>

#include "emulator/node/node.hpp"

namespace kport {

namespace {

Program follow(Node& self, const Timetable& timetable) {
    const NodeId v = self.id();
    const Round last = timetable.last(v);
    for (Round round = timetable.next(v, timetable.first(v)); round <= last; round = timetable.next(v, round + 1)) {
        const TimetableLine line = timetable.line(v, round);
        if (line.to != no_node) {
            if (self.round() < round) co_await self.until(round);
            co_await self.send_to(line.to, Packet(line.packet));
        }
        if (line.from != no_node) co_await self.receive_from(line.from);
    }
}

}  // namespace

TimetableProgram::TimetableProgram(std::shared_ptr<const Timetable> timetable) : timetable_(std::move(timetable)) {}

Program TimetableProgram::operator()(Node& self) const { return follow(self, *timetable_); }

}  // namespace kport
