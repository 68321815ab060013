/// @file partition_in_step.cpp   Nodes that go by a timetable and do in each round what stands there, without mail
///                               (World::last_line).
#include <algorithm>

#include "emulator/engine/partition.hpp"
#include "emulator/node/timetable.hpp"

namespace kport {

void Partition::run_in_step() {
    const Timetable& timetable = *world_.timetable;
    for (const NodeId v : starters_)
        if (world_.store) world_.store->seed(v, pool_);
    starters_.clear();
    goes_in_step_ = round_ < world_.last_line;
    for_each_own_node([&](NodeId v) {
        at_work_.resumes(v, round_);
        LineNow& now = world_.lines[v];
        LinesLeft& left = world_.lines_left[v];
        now = {};
        if (round_ == 1) left.due = next_round(timetable, v, round_of_first_line(timetable, v), left.last);
        if (left.due != round_) return;
        const TimetableLine line = timetable.line(v, round_);
        left.due = next_round(timetable, v, round_ + 1, left.last);
        hear(v, round_, answer_of(line, left.due));
        if (line.from != no_node) now.from = static_cast<std::uint32_t>(std::min<NodeId>(line.from, no_port - 1));
        if (line.to == no_node) return;
        ++posted_;
        const bool is_there = line.to < world_.topology.nodes() && line.to != v && world_.packets.allows(line.packet);
        now.out = is_there ? world_.topology.port_to(v, line.to) : no_port;
        if (now.out == no_port) [[unlikely]]
            throw Unexplained();
        now.to = static_cast<std::uint32_t>(line.to);
        now.packet = static_cast<std::uint32_t>(line.packet);
    });
}

// Every send has its receive in the same round, so no node waits and nothing is buffered.
void Partition::accept_sent_in_step(Round round) {
    if (world_.has_failed()) return;
    for_each_own_node([&](NodeId v) {
        const LineNow& now = world_.lines[v];
        if (now.to == LineNow::no_partner) return;
        if (world_.lines[now.to].from != v) [[unlikely]]
            throw Unexplained();
        world_.rounds.sent(index_, round, Hop{v, now.to, now.out, now.packet});
    });
}

void Partition::accept_received_in_step(Round round) {
    if (world_.has_failed()) return;
    const NodeId nodes = world_.topology.nodes();
    for_each_own_node([&](NodeId v) {
        const NodeId from = world_.lines[v].from;
        if (from == LineNow::no_partner) return;
        if (from >= nodes || world_.lines[from].to != v) [[unlikely]]
            throw Unexplained();
        const LineNow& sender = world_.lines[from];
        world_.rounds.received(index_, round, Hop{from, v, sender.out, sender.packet});
    });
    if (!world_.store || world_.has_failed()) return;
    // In a loop of its own, of which memory alone is the cost.
    world_.store->move_each([&, lines = &world_.lines[0]](const auto& move) {
        for_each_own_node([&](NodeId v) {
            if (const NodeId from = lines[v].from; from != LineNow::no_partner) move(from, v, lines[from].packet);
        });
    });
}

}  // namespace kport
