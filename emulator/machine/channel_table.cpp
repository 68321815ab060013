#include "emulator/machine/channel_table.hpp"

#include <algorithm>
#include <bit>

namespace kport {

ChannelTable::ChannelTable(const Topology& topology) : nodes_(topology.nodes()), ports_(topology.ports()) {}

void ChannelTable::restart(Round round, std::size_t channels) {
    round_ = round;
    if (dense()) {
        if (uses_.size() == 0) uses_ = HugeArray<Use>(nodes_ * ports_);
        return;
    }
    const std::size_t wanted = std::bit_ceil(std::max<std::size_t>(16, 2 * channels));
    if (slots_.size() < wanted) slots_.assign(wanted, Slot{0, no_node, 0});
}

std::size_t ChannelTable::place(std::uint64_t channel) const {
    // Fibonacci hashing: neighbouring channels, as on a route, land far apart.
    const int shift = 64 - std::countr_zero(slots_.size());
    std::size_t i = (channel * 0x9E3779B97F4A7C15U) >> shift;
    while (slots_[i].round == round_ && slots_[i].channel != channel) i = (i + 1) & (slots_.size() - 1);
    return i;
}

NodeId ChannelTable::hashed_owner(std::uint64_t channel) const {
    const Slot& slot = slots_[place(channel)];
    return slot.round == round_ ? slot.owner : no_node;
}

}  // namespace kport
