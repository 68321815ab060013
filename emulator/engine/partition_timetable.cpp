/// @file partition_timetable.cpp   Nodes that go by a timetable, without coroutines (node/timetable.hpp).
#include <utility>

#include "emulator/engine/partition.hpp"
#include "emulator/node/timetable.hpp"

namespace kport {

namespace {

/// Nodes ahead of the one at hand whose cursors are fetched.
constexpr std::size_t fetch_cursors_ahead = 12;

}  // namespace

void Partition::arrive_by_timetable(const Message& message) {
    TimetableCursor& at = world_.cursors[message.to];
    const NodeId from = message.from;
    if (at.line() == 0 && at.waits_for() == no_node) {
        at.begin_with(from);
        due_.push_back({message.to});
    } else if (at.line() != 0 && at.waits_for() == from) {
        at.go_to(at.line() + 1);
        due_.push_back({message.to});
    } else if (!at.is_over()) {
        put_aside(message.to, from);
    }
    discard(message);
}

void Partition::run_by_timetable() {
    for (const NodeId v : starters_) due_.push_back({static_cast<std::uint32_t>(v)});
    starters_.clear();
    std::swap(due_, due_now_);
    due_.clear();
    for (std::size_t i = 0; i < due_now_.size(); ++i) {
        if (i + fetch_cursors_ahead < due_now_.size())
            __builtin_prefetch(&world_.cursors[due_now_[i + fetch_cursors_ahead].node], 1);
        go_on(due_now_[i]);
    }
}

void Partition::go_on(const DueNode& due) {
    at_work_.resumes(due.node, round_);
    try {
        follow_timetable(due);
    } catch (...) {
        note_error(due.node, std::current_exception());
    }
}

void Partition::follow_timetable(const DueNode& due) {
    const Timetable& timetable = *world_.timetable;
    const NodeId v = due.node;
    TimetableCursor& at = world_.cursors[v];
    LinesLeft& lines = world_.lines_left[v];
    NodeId letter = no_node;
    Round from = at.line();
    if (from == 0) {
        ++alive_;
        if (world_.store) world_.store->seed(v, pool_);
        letter = at.waits_for();
        if (!world_.knows_last_lines) lines.last = round_of_last_line(timetable, v);
        from = round_of_first_line(timetable, v);
    }
    ports_used_.restart();
    Port sends = 0;
    NextLine next = due.has_line() ? NextLine{from, due.line} : next_line(timetable, v, from, lines.last);
    for (; next.round != 0; next = next_line(timetable, v, next.round + 1, lines.last)) {
        const TimetableLine& line = next.line;
        if (world_.brief) hear(v, next.round, answer_of(line, next.round));
        if (line.to != no_node) {
            const bool is_early = round_ < next.round;
            lets_round_pass_ |= is_early;
            if (is_early || !sends_line(v, line, sends)) {
                const bool sleeps = is_early && next.round > round_ + 1;
                (sleeps ? asleep_[next.round].cursors : due_).push_back({due.node, line});
                at.go_to(next.round);
                put_aside(v, letter);
                return;
            }
            ++sends;
        }
        if (line.from == no_node) continue;
        if (line.from == letter) {
            letter = no_node;
            continue;
        }
        if (takes_letter(v, line.from)) continue;
        at.go_to(next.round);
        at.wait_for(line.from);
        put_aside(v, letter);
        return;
    }
    --alive_;
    at.end();
}

bool Partition::takes_letter(NodeId v, NodeId from) {
    if (letters_.empty() || from >= no_port) [[likely]]
        return false;
    const auto letter = letters_.find({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(from)});
    if (letter == letters_.end()) return false;
    letters_.erase(letter);
    return true;
}

bool Partition::sends_line(NodeId v, const TimetableLine& line, Port sends) {
    if (sends >= ports_to_send(v)) return false;
    const Port out = leaves_by(v, SendRequest(line.to, {}, Packet(line.packet)));
    // A channel carries one message a round.
    if (sends != 0 && ports_used_.contains(out)) return false;
    ports_used_.add(out);
    const LinkEnd end = world_.topology.across(v, out);
    const Packet packet = checked(v, Packet(line.packet));
    const std::uint64_t content = !world_.bundles            ? Message::content_of(packet)
                                  : world_.packets_by_number ? content_of(v, packet)
                                                             : content_in_body(v, packet);
    post({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(end.node), out, end.port, content});
    return true;
}

void Partition::tell_waiting_cursors(Auditor& auditor) const {
    if (alive_ == 0) return;
    world_.deal.for_each(index_, world_.topology.nodes(), [&](NodeId v) {
        const TimetableCursor& at = world_.cursors[v];
        if (at.waits_for() == no_node) return;
        Violation waits;
        waits.breach = Breach::waits_for_ever;
        waits.node = v;
        waits.other = at.waits_for();
        auditor.report_at_end(waits);
    });
}

}  // namespace kport
