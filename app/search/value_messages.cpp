/// @file value_messages.cpp   Schedules of values as a formula.
#include <algorithm>

#include "app/search/messages.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport::search {

ValueMessages::ValueMessages(Solver& solver, const Question& question, Round rounds, Reading reading, bool serial)
    : Messages(solver, question, rounds, serial), reading_(reading),
      segments_(static_cast<std::uint32_t>(question.collective.segments(question.nodes()))) {
    const std::size_t messages = std::size_t{segments_} * rounds_ * channels_.size();
    has_.assign(messages * nodes(), never);
    starts_.assign(reading_ == Reading::runs ? messages * nodes() : 0, never);
    value_.assign(messages, never);
    result_.assign(messages, never);
    const std::size_t places = std::size_t{segments_} * (rounds_ + 1) * nodes();
    holds_.assign(places * nodes(), never);
    whole_.assign(places, never);
    received_.assign(places, never);
    told_.assign(places, never);
    for (std::uint32_t s = 0; s < segments_; ++s) {
        add_segment(s);
    }
    for (Round round = 1; round <= rounds_; ++round) add_bundles(round);
    order_segments();
    if (!serial) return;
    std::vector<bool> senders(nodes(), true);
    std::vector<bool> receivers(nodes(), true);
    if (scans()) senders.back() = receivers.front() = false;
    limit_repeats(senders, receivers);
}

Literal ValueMessages::holds(std::uint32_t s, Node32 w, Node32 v, Round round) const {
    return w == v ? always : holds_[node_place(s, v, round) * nodes() + w];
}

/// A contribution that is too far away, or that comes too late to be of use, is not sent.
bool ValueMessages::can_matter(Node32 w, ChannelId c, Round round) const {
    const Node32 from = channels_[c].from;
    const Node32 to = channels_[c].to;
    if (w == to || distance(w, from) >= round) return false;
    if (!scans()) return true;
    for (Node32 v = w + 1; v < nodes(); ++v)
        if (v != from && round + distance(to, v) <= rounds_) return true;
    return false;
}

void ValueMessages::add_segment(std::uint32_t s) {
    for (Round round = 1; round <= rounds_; ++round)
        for (Node32 v = 0; v < nodes(); ++v)
            for (Node32 w = 0; w < nodes(); ++w)
                if (w != v && distance(w, v) <= round)
                    holds_[node_place(s, v, round) * nodes() + w] = solver_.variable();
    for (Round round = 1; round <= rounds_; ++round)
        for (ChannelId c = 0; c < channels_.size(); ++c) add_value(s, c, round);
    for (Round round = 1; round <= rounds_; ++round) {
        for (ChannelId c = 0; c < channels_.size(); ++c) add_folds(s, c, round);
        for (Node32 v = 0; v < nodes(); ++v) add_receipts(s, v, round);
    }
    if (!scans()) add_results(s);
    for (Node32 v = 0; v < nodes(); ++v) add_end(s, v);
}

void ValueMessages::add_value(std::uint32_t s, ChannelId c, Round round) {
    const Node32 from = channels_[c].from;
    const Node32 to = channels_[c].to;
    const Literal value = value_[place(s, c, round)] = solver_.variable();
    solver_.add({-value, sent(c, round)});
    std::vector<Literal> some{-value};
    for (Node32 w = 0; w < nodes(); ++w) {
        if (!can_matter(w, c, round)) continue;
        const Literal contains = has(s, w, c, round) = solver_.variable();
        solver_.add({-contains, value});
        solver_.add({-contains, holds(s, w, from, round - 1)});
        solver_.add({-contains, -holds(s, w, to, round - 1)});
        solver_.add({-contains, holds(s, w, to, round)});
        some.push_back(contains);
    }
    solver_.add(some);
    if (reading_ == Reading::folded) return;
    for (Node32 w = 0; w < nodes(); ++w) {
        if (has(s, w, c, round) == never) continue;
        const Literal start = starts_[place(s, c, round) * nodes() + w] = solver_.variable();
        solver_.add({-has(s, w, c, round), w == 0 ? never : has(s, w - 1, c, round), start});
    }
}

/// What came as one value goes on as a whole, or not at all.
void ValueMessages::add_folds(std::uint32_t s, ChannelId c, Round round) {
    const Node32 from = channels_[c].from;
    for (Round earlier = 1; earlier < round; ++earlier)
        for (const ChannelId r : in_[from]) {
            if (reading_ == Reading::folded) {
                const Literal taken = solver_.variable();
                for (Node32 w = 0; w < nodes(); ++w) {
                    const Literal came = has(s, w, r, earlier);
                    if (came == never) continue;
                    const Literal goes = has(s, w, c, round);
                    solver_.add({-came, -goes, taken});
                    solver_.add({-came, goes, -taken});
                }
                continue;
            }
            for (Node32 w = 0; w + 1 < nodes(); ++w) {
                const Literal one = has(s, w, r, earlier);
                const Literal next = has(s, w + 1, r, earlier);
                if (one == never || next == never) continue;
                const Literal one_goes = has(s, w, c, round);
                const Literal next_goes = has(s, w + 1, c, round);
                solver_.add({-one, -next, -one_goes, next_goes});
                solver_.add({-one, -next, one_goes, -next_goes});
            }
        }
}

void ValueMessages::add_receipts(std::uint32_t s, Node32 v, Round round) {
    for (Node32 w = 0; w < nodes(); ++w) {
        const Literal after = holds(s, w, v, round);
        if (w == v || after == never) continue;
        const Literal before = holds(s, w, v, round - 1);
        std::vector<Literal> receipts;
        for (const ChannelId c : in_[v])
            if (has(s, w, c, round) != never) receipts.push_back(has(s, w, c, round));
        solver_.at_most_one(receipts);
        solver_.add({-before, after});
        receipts.push_back(before);
        receipts.push_back(-after);
        solver_.add(receipts);
    }
    if (!scans()) return;
    // A value with contributors on both sides of v is of no use to v, and takes the place of what is.
    for (const ChannelId c : in_[v])
        for (Node32 w = 0; w < v; ++w)
            for (Node32 z = v + 1; z < nodes(); ++z)
                if (has(s, w, c, round) != never && has(s, z, c, round) != never && reading_ == Reading::folded)
                    solver_.add({-has(s, w, c, round), -has(s, z, c, round)});
}

/// The result of a node that holds all contributions is a packet of its own.
void ValueMessages::add_results(std::uint32_t s) {
    for (Round round = 1; round <= rounds_; ++round)
        for (Node32 v = 0; v < nodes(); ++v) {
            const Literal whole = whole_[node_place(s, v, round)] = solver_.variable();
            for (Node32 w = 0; w < nodes(); ++w) solver_.add({-whole, holds(s, w, v, round)});
            received_[node_place(s, v, round)] = solver_.variable();
            told_[node_place(s, v, round)] = solver_.variable();
        }
    for (Round round = 1; round <= rounds_; ++round) {
        for (ChannelId c = 0; c < channels_.size(); ++c) {
            const Node32 from = channels_[c].from;
            const Node32 to = channels_[c].to;
            const Literal result = result_[place(s, c, round)] = solver_.variable();
            solver_.add({-result, sent(c, round)});
            solver_.add({-result, -value_[place(s, c, round)]});
            solver_.add({-result, received_[node_place(s, from, round - 1)], whole_[node_place(s, from, round - 1)]});
            solver_.add({-result, told_[node_place(s, from, round)]});
            solver_.add({-result, received_[node_place(s, to, round)]});
            solver_.add({-result, -received_[node_place(s, to, round - 1)]});
            solver_.add({-result, -told_[node_place(s, to, round)]});
        }
        for (Node32 v = 0; v < nodes(); ++v) {
            std::vector<Literal> receipts;
            for (const ChannelId c : in_[v]) receipts.push_back(result_[place(s, c, round)]);
            solver_.at_most_one(receipts);
            receipts.push_back(received_[node_place(s, v, round - 1)]);
            receipts.push_back(-received_[node_place(s, v, round)]);
            solver_.add(receipts);
            solver_.add({-received_[node_place(s, v, round - 1)], received_[node_place(s, v, round)]});
            solver_.add({-told_[node_place(s, v, round - 1)], told_[node_place(s, v, round)]});
        }
    }
}

void ValueMessages::add_end(std::uint32_t s, Node32 v) {
    if (!scans()) return solver_.add({received_[node_place(s, v, rounds_)], whole_[node_place(s, v, rounds_)]});
    for (Node32 w = 0; w < v; ++w) solver_.add({holds(s, w, v, rounds_)});
}

void ValueMessages::add_bundles(Round round) {
    for (ChannelId c = 0; c < channels_.size(); ++c) {
        std::vector<Literal> some;
        std::vector<Literal> results;
        for (std::uint32_t s = 0; s < segments_; ++s) {
            some.push_back(value_[place(s, c, round)]);
            if (!scans()) results.push_back(result_[place(s, c, round)]);
        }
        if (question_.bundles() && segments_ > 1)  // values or results, not both
            for (const Literal value : some)
                for (const Literal result : results) solver_.add({-value, -result});
        if (!question_.bundles()) solver_.at_most_one(carried(c, round));
        some.insert(some.end(), results.begin(), results.end());
        some.push_back(-sent(c, round));
        solver_.add(some);
    }
}

/// Segments may change their names: they are first sent in order.
void ValueMessages::order_segments() {
    std::vector<Literal> begun(rounds_ + 1, always);
    for (std::uint32_t s = 0; s < segments_; ++s) {
        std::vector<Literal> now(rounds_ + 1, never);
        for (Round round = 1; round <= rounds_; ++round) {
            now[round] = solver_.variable();
            std::vector<Literal> clause{-now[round], now[round - 1]};
            for (ChannelId c = 0; c < channels_.size(); ++c) {
                clause.push_back(value_[place(s, c, round)]);
                solver_.add({-value_[place(s, c, round)], begun[round]});
            }
            solver_.add(clause);
        }
        begun = now;
    }
}

std::vector<Literal> ValueMessages::carried(ChannelId c, Round round) const {
    std::vector<Literal> all;
    for (std::uint32_t s = 0; s < segments_; ++s) {
        if (!scans()) all.push_back(result_[place(s, c, round)]);
        if (reading_ == Reading::folded) {
            all.push_back(value_[place(s, c, round)]);
            continue;
        }
        for (Node32 w = 0; w < nodes(); ++w)
            if (starts_[place(s, c, round) * nodes() + w] != never)
                all.push_back(starts_[place(s, c, round) * nodes() + w]);
    }
    return all;
}

Schedule ValueMessages::schedule() const {
    Schedule schedule;
    for (Round round = 1; round <= rounds_; ++round)
        for (ChannelId c = 0; c < channels_.size(); ++c) {
            PacketSet packets;
            for (std::uint32_t s = 0; s < segments_; ++s) {
                for (Node32 w = 0; w < nodes(); ++w) {
                    const PacketBlock contribution{w, 1, 1, s};
                    if (solver_.holds(has(s, w, c, round))) packets.add({&contribution, 1});
                }
                const PacketBlock result = result_packets(nodes(), {s});
                if (solver_.holds(result_[place(s, c, round)])) packets.add({&result, 1});
            }
            if (packets.empty()) continue;
            const Port port = port_of(c);
            schedule.add(round, {channels_[c].from, channels_[c].to, {&port, 1}, packets.blocks()});
        }
    return schedule;
}

}  // namespace kport::search
