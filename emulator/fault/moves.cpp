#include "emulator/fault/moves.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kport {

Moves::Moves(const Schedule& schedule, const Machine& machine, const Collective& collective)
    : machine_(machine), collective_(collective), silences_(schedule.silences()), size_(schedule.size()),
      by_sender_(machine.topology->nodes()), by_receiver_(machine.topology->nodes()) {
    for (std::size_t i = 0; i < size_; ++i) {
        const Transfer transfer = schedule.transfer(i);
        Move move{schedule.round(i), transfer.from, transfer.to, {transfer.route.begin(), transfer.route.end()}, {}};
        move.packets.add(transfer.packets);
        by_sender_[move.from].push_back(i);
        by_receiver_[move.to].push_back(i);
        moves_.push_back(std::move(move));
    }
}

void Moves::put_off(Round from) {
    for (Move& move : moves_)
        if (move.round >= from) ++move.round;
    for (Silence& silence : silences_)
        if (silence.first >= from) ++silence.first;
}

std::size_t Moves::sends(NodeId v, Round round) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(by_sender_[v], [&](std::size_t i) { return moves_[i].round == round; }));
}

std::size_t Moves::receives(NodeId v, Round round) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(by_receiver_[v], [&](std::size_t i) { return moves_[i].round == round; }));
}

PacketSet Moves::held(NodeId v, Round round) const {
    PacketSet all = collective_.owned(v, topology().nodes());
    for (const std::size_t i : by_receiver_[v])
        if (moves_[i].round < round) all.add(without(moves_[i].packets.blocks(), all.blocks()));
    return all;
}

std::optional<std::size_t> Moves::passed_on(std::size_t i) const {
    for (const std::size_t j : by_sender_[moves_[i].to])
        if (moves_[j].round > moves_[i].round &&
            common_size(moves_[i].packets.blocks(), moves_[j].packets.blocks()) != 0)
            return j;
    return std::nullopt;
}

Schedule Moves::schedule(std::vector<std::size_t>& places) const {
    std::vector<std::size_t> order(moves_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t i) { return moves_[i].packets.empty(); });
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return moves_[i].round; });
    Schedule schedule;
    for (const std::size_t i : order) {
        const Move& move = moves_[i];
        schedule.add(move.round, {move.from, move.to, move.route, move.packets.blocks()});
    }
    for (const Silence& silence : silences_)
        for (std::uint64_t round = silence.first; round < silence.first + silence.count; ++round)
            if (!std::ranges::binary_search(order, round, {}, [&](std::size_t i) { return moves_[i].round; }))
                schedule.add_silent(static_cast<Round>(round), 1);
    std::vector<std::size_t> place_of(moves_.size(), order.size());
    for (std::size_t place = 0; place < order.size(); ++place) place_of[order[place]] = place;
    for (std::size_t& place : places) place = place_of[place];
    return schedule;
}

std::vector<PacketId> numbers(std::span<const PacketBlock> packets, NodeId columns) {
    std::vector<PacketId> all;
    for (const PacketBlock& block : packets)
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i) all.push_back(block.number(j, i, columns));
    return all;
}

}  // namespace kport
