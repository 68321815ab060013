/// @file packet_messages.cpp   Schedules of packets as a formula.
#include <algorithm>

#include "app/search/messages.hpp"

namespace kport::search {

PacketMessages::PacketMessages(Solver& solver, const Question& question, Round rounds, bool serial)
    : Messages(solver, question, rounds, serial) {
    make_items();
    holds_.assign(items_.size() * nodes() * (rounds_ + 1), never);
    carries_.assign(items_.size() * channels_.size() * rounds_, never);
    for (std::size_t i = 0; i < items_.size(); ++i) {
        add_item(i);
    }
    for (Round round = 1; round <= rounds_; ++round) add_bundles(round);
    order_alike();
    if (!serial) return;
    std::vector<bool> owners(nodes());
    std::vector<bool> receivers(nodes());
    for (const Item& item : items_) {
        if (item.packet.owners.size() == 1) owners[item.packet.owners.front()] = true;
        for (Node32 v = 0; v < nodes(); ++v)
            if (item.wanted[v]) receivers[v] = true;
    }
    limit_repeats(owners, receivers);
}

void PacketMessages::make_items() {
    for (const NeededPacket& packet : packets_needed(question_)) {
        Item item{packet, std::vector<bool>(nodes()), graph_.distances(packet.owners),
                  graph_.distances(packet.receivers)};
        for (const Node32 v : packet.receivers) item.wanted[v] = true;
        items_.push_back(std::move(item));
    }
}

Literal PacketMessages::holds(std::size_t i, Node32 v, Round round) const {
    if (items_[i].packet.has_owner(v)) return always;
    return holds_[(i * (rounds_ + 1) + round) * nodes() + v];
}

void PacketMessages::add_item(std::size_t i) {
    const Item& item = items_[i];
    for (Round round = 1; round <= rounds_; ++round)
        for (Node32 v = 0; v < nodes(); ++v)
            if (!item.packet.has_owner(v) && item.from_owner[v] <= round && round + item.still[v] <= rounds_)
                holds_[(i * (rounds_ + 1) + round) * nodes() + v] = solver_.variable();
    for (Round round = 1; round <= rounds_; ++round)
        for (ChannelId c = 0; c < channels_.size(); ++c) {
            const Node32 from = channels_[c].from;
            const Node32 to = channels_[c].to;
            if (item.packet.has_owner(to) || item.from_owner[from] >= round || round + item.still[to] > rounds_ ||
                !may_cross(from, to))
                continue;
            const Literal carried = carries(i, c, round) = solver_.variable();
            solver_.add({-carried, sent(c, round)});
            solver_.add({-carried, holds(i, from, round - 1)});
            solver_.add({-carried, holds(i, to, round)});
            solver_.add({-carried, -holds(i, to, round - 1)});
        }
    add_ways(i);
    for (Node32 v = 0; v < nodes(); ++v) {
        if (item.packet.has_owner(v)) continue;
        for (Round round = 1; round <= rounds_; ++round) {
            const Literal after = holds(i, v, round);
            if (after == never) continue;
            const Literal before = holds(i, v, round - 1);
            std::vector<Literal> receipts;
            for (const ChannelId c : in_[v])
                if (carries(i, c, round) != never) receipts.push_back(carries(i, c, round));
            solver_.at_most_one(receipts);
            solver_.add({-before, after});
            receipts.push_back(before);
            receipts.push_back(-after);
            solver_.add(receipts);
        }
        if (item.wanted[v]) solver_.add({holds(i, v, rounds_)});
    }
}

/// A node that does not want a packet gets it only to pass it on: reversed in time, no node sends what it does not have.
void PacketMessages::add_ways(std::size_t i) {
    for (Round round = 1; round <= rounds_; ++round)
        for (ChannelId c = 0; c < channels_.size(); ++c) {
            const Node32 to = channels_[c].to;
            if (carries(i, c, round) == never || items_[i].wanted[to]) continue;
            std::vector<Literal> onwards{-carries(i, c, round)};
            for (Round later = round + 1; later <= rounds_; ++later)
                for (const ChannelId d : out_[to]) onwards.push_back(carries(i, d, later));
            solver_.add(onwards);
        }
}

void PacketMessages::add_bundles(Round round) {
    for (ChannelId c = 0; c < channels_.size(); ++c) {
        std::vector<Literal> some = carried(c, round);
        if (!question_.bundles()) solver_.at_most_one(some);
        some.push_back(-sent(c, round));
        solver_.add(some);
    }
}

/// Of a promise, nodes that have no part in it may be barred from passing packets on.
bool PacketMessages::may_cross(Node32 from, Node32 to) const {
    const Collective& collective = question_.collective;
    return collective.may_pass_on(from, nodes()) && collective.may_pass_on(to, nodes());
}

/// Packets that have the same owner and the same receivers may change their names: they leave their owner in order.
void PacketMessages::order_alike() {
    for (std::size_t i = 1; i < items_.size(); ++i) {
        const NeededPacket& packet = items_[i].packet;
        if (packet.owners.size() > 1 || !packet.is_alike(items_[i - 1].packet)) continue;
        const Node32 owner = packet.owners.front();
        Literal left = never;  // the packet before it has left its owner
        for (Round round = 1; round <= rounds_; ++round) {
            const Literal by_now = solver_.variable();
            std::vector<Literal> clause{left, -by_now};
            for (const ChannelId c : out_[owner]) clause.push_back(carries(i - 1, c, round));
            solver_.add(clause);
            for (const ChannelId c : out_[owner])
                if (carries(i, c, round) != never) solver_.add({-carries(i, c, round), by_now});
            left = by_now;
        }
    }
}

std::vector<Literal> PacketMessages::carried(ChannelId c, Round round) const {
    std::vector<Literal> all;
    for (std::size_t i = 0; i < items_.size(); ++i)
        if (carries(i, c, round) != never) all.push_back(carries(i, c, round));
    return all;
}

Schedule PacketMessages::schedule() const {
    Schedule schedule;
    for (Round round = 1; round <= rounds_; ++round)
        for (ChannelId c = 0; c < channels_.size(); ++c) {
            PacketSet packets;
            for (std::size_t i = 0; i < items_.size(); ++i)
                if (solver_.holds(carries(i, c, round))) packets.add({&items_[i].packet.block, 1});
            if (packets.empty()) continue;
            const Port port = port_of(c);
            schedule.add(round, {channels_[c].from, channels_[c].to, {&port, 1}, packets.blocks()});
        }
    return schedule;
}

}  // namespace kport::search
