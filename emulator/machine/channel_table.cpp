#include "emulator/machine/channel_table.hpp"

#include <algorithm>
#include <bit>

#include "emulator/topology/fabric.hpp"

namespace kport {

ChannelTable::ChannelTable(const Topology& topology)
    : nodes_(topology.nodes()), ports_(topology.ports()), dense_(ports_ <= dense_ports_max) {}

ChannelTable::ChannelTable(const Machine& machine) : ChannelTable(machine.topology->wires()) {
    fabric_ = machine.topology->fabric();
    if (fabric_ == nullptr) return;
    dense_ = false;
    half_links_ = machine.links == Duplex::half;
    switch_limit_ = machine.switch_limit;
}

void ChannelTable::restart(Round round, std::size_t channels) {
    round_ = round;
    if (dense()) {
        if (uses_.size() == 0) uses_ = HugeArray<Use>(nodes_ * ports_);
        return;
    }
    const std::size_t passages = switch_limit_ == no_port ? 0 : channels;
    const std::size_t links = half_links_ ? channels : 0;
    const std::size_t wanted = std::bit_ceil(std::max<std::size_t>(16, 2 * (channels + passages + links)));
    if (slots_.size() < wanted) slots_.assign(wanted, Slot{0, no_node, 0, 0});
}

std::size_t ChannelTable::place(std::uint64_t channel) const {
    // Fibonacci hashing: neighbouring channels, as on a route, land far apart.
    const int shift = 64 - std::countr_zero(slots_.size());
    std::size_t i = (channel * 0x9E3779B97F4A7C15U) >> shift;
    while (slots_[i].round == round_ && slots_[i].channel != channel) i = (i + 1) & (slots_.size() - 1);
    return i;
}

std::uint64_t ChannelTable::link_of(NodeId v, Port port) const {
    const LinkEnd end = fabric_->across(v, port);
    return nodes_ * ports_ + nodes_ + std::min(v * ports_ + port, end.node * ports_ + end.port);
}

bool ChannelTable::limits(NodeId v) const { return switch_limit_ != no_port && fabric_->is_switch(v); }

NodeId ChannelTable::owner_of_full(std::uint64_t channel, std::uint64_t capacity) const {
    const Slot& slot = slots_[place(channel)];
    return slot.round == round_ && slot.taken >= capacity ? slot.owner : no_node;
}

NodeId ChannelTable::owner_one_way(NodeId v, Port port) const {
    if (fabric_ == nullptr) return owner(v, port);
    if (limits(v))
        if (const NodeId owner = owner_of_full(passage_of(v), switch_limit_); owner != no_node) return owner;
    return owner_of_full(v * ports_ + port, fabric_->capacity(v, port));
}

NodeId ChannelTable::hashed_owner(NodeId v, Port port) const {
    if (fabric_ == nullptr) return owner_of_full(v * ports_ + port, 1);
    const NodeId owner = owner_one_way(v, port);
    return owner != no_node || !half_links_ ? owner : owner_of_full(link_of(v, port), fabric_->capacity(v, port));
}

void ChannelTable::take_slot(std::uint64_t channel, NodeId owner) {
    Slot& slot = slots_[place(channel)];
    if (slot.round == round_)
        ++slot.taken;
    else
        slot = {channel, owner, round_, 1};
}

void ChannelTable::take_hashed(NodeId v, Port port, NodeId owner) {
    if (fabric_ == nullptr) {
        const std::uint64_t channel = v * ports_ + port;
        slots_[place(channel)] = {channel, owner, round_, 1};
        return;
    }
    if (limits(v)) take_slot(passage_of(v), owner);
    if (half_links_) take_slot(link_of(v, port), owner);
    take_slot(v * ports_ + port, owner);
}

}  // namespace kport
