#include "emulator/engine/planned_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <tuple>
#include <utility>

#include "emulator/base/error.hpp"
#include "emulator/node/fold_order.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

std::uint32_t PlannedParts::new_place() {
    if (plan_.passing_places >= passing)
        throw DoesNotFit(
            "a reduction is moved in fewer than 2^31 places; nodes that send parts of what they have need more");
    return static_cast<std::uint32_t>(plan_.passing_places++) | passing;
}

PlannedParts::Sum PlannedParts::sum(std::uint64_t cell, const PacketSet& contributions, std::uint32_t to) {
    std::vector<Part>& own = cells_[cell];
    PacketSet rest = contributions;
    std::vector<const Part*> some;
    for (const Part& part : own | std::views::reverse) {
        if (rest.empty()) break;
        if (!rest.covers(part.contributions.blocks())) continue;
        rest.remove(part.contributions);
        some.push_back(&part);
    }
    const std::uint64_t count = contributions.size() - rest.size();
    if (some.empty()) return {0, 0};
    if (some.size() == 1) return {some.front()->place, count};
    std::ranges::sort(some, {}, [](const Part* part) { return lowest_of(part->contributions.blocks()); });
    Chain chain{{}, to == Movement::nothing ? new_place() : to, 0};
    for (const Part* part : some) {
        chain.from.push_back(part->place);
        if (const auto made = made_.find(part->place); made != made_.end())
            chain.start = std::max(chain.start, made->second);
    }
    made_[chain.to] = chain.start + chain.from.size() - 1;
    PacketSet all = contributions;
    all.remove(rest);
    own.push_back({std::move(all), chain.to});
    chains_.push_back(std::move(chain));
    return {own.back().place, count};
}

void PlannedParts::fold_all() {
    // The folds of a chain are sequential; those of different chains in the same step are independent.
    for (std::size_t step = 1; !chains_.empty(); ++step) {
        for (const Chain& chain : chains_) {
            if (step <= chain.start) continue;
            const std::size_t turn = step - chain.start;
            writer_.add({chain.to, turn == 1 ? chain.from.front() : chain.to, chain.from[turn], 1});
        }
        writer_.end_step();
        std::erase_if(chains_, [&](const Chain& chain) { return step == chain.start + chain.from.size() - 1; });
    }
    made_.clear();
}

namespace {

/// How many packets of the segments of some others a node has, results among them.
std::uint64_t size_in_segments_of(std::span<const PacketBlock> packets, const PacketSet& own, std::uint64_t segments,
                                  NodeId nodes) {
    if (segments == 1) return own.size();
    const PacketSet rows = rows_of(packets);
    PacketBlocks all;
    for (const PacketBlock& some : rows.blocks())
        all.push_back(block_of(some.columns(), {0, 1, static_cast<std::uint32_t>(nodes + 1)}));
    return common_size(span_of(all), own);
}

bool has_several_runs(const Schedule& schedule, const Collective& collective, NodeId nodes) {
    if (!collective.in_runs) return false;
    const std::uint64_t segments = collective.segments(nodes);
    const auto cell = [&](NodeId v, std::uint64_t segment) { return v * segments + segment; };
    std::vector<Progression> held(nodes * segments);
    for (std::uint32_t v = 0; v < nodes; ++v)
        for (std::uint64_t s = 0; s < segments; ++s) held[cell(v, s)] = Progression{v};
    using Run = std::tuple<std::uint64_t, std::pair<std::uint64_t, std::uint32_t>, std::uint32_t>;
    std::vector<Run> coming;  // cell, place in order, count
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        if (values_in(transfer.packets, collective, segments) > segments_in(transfer.packets, segments)) return true;
        const PacketSet named = rows_of(transfer.packets);
        for (const PacketBlock& block : named.blocks())
            for (std::uint32_t k = 0; k < block.count; ++k) {
                const std::uint32_t segment = block.columns()[k];
                const Progression run = runs_of(in_segment(transfer.packets, segment).blocks()).front();
                if (run.first == nodes) continue;  // a result
                coming.emplace_back(cell(transfer.to, segment), place_in_order(transfer.to, run.first), run.count);
            }
        if (i + 1 < schedule.size() && schedule.round(i + 1) == schedule.round(i)) continue;
        std::ranges::sort(coming);
        for (const auto& [at, place, count] : coming) {
            const Progression run{place.second, 1, count};
            if (!neighbours(held[at], run)) return true;
            held[at] = joined_neighbours(held[at], run);
        }
        coming.clear();
    }
    return false;
}

}  // namespace

PacketSet in_segment(std::span<const PacketBlock> packets, std::uint32_t segment) {
    PacketSet some;
    for (const PacketBlock& block : packets)
        if (block.all_rows().has(segment)) some.add(block_of({}, block.columns()));
    return some;
}

std::vector<bool> senders_of_parts(const Schedule& schedule, const Collective& collective, NodeId nodes) {
    const std::uint64_t segments = collective.segments(nodes);
    const OwnFolds* const folds = collective.own_folds();
    std::vector<PacketSet> own(nodes);
    const auto has = [&](NodeId v) -> PacketSet& {
        if (own[v].empty()) own[v] = collective.owned(v, nodes);
        return own[v];
    };
    std::vector<bool> parts(nodes);
    for (std::size_t first = 0, end = 0; first < schedule.size(); first = end) {
        for (; end < schedule.size() && schedule.round(end) == schedule.round(first); ++end) {
            const Transfer transfer = schedule.transfer(end);
            const bool is_result = transfer.packets.front().first == nodes;
            if (parts[transfer.from] || (is_result && folds == nullptr)) continue;  // else a result may be of a part
            const PacketSet made = is_result ? collective.in_results(transfer.packets, nodes) : PacketSet();
            const std::span<const PacketBlock> of = is_result ? made.blocks() : transfer.packets;
            parts[transfer.from] = size_of(of) != size_in_segments_of(of, has(transfer.from), segments, nodes);
        }
        for (std::size_t i = first; i < end; ++i) {  // a message counts from the round after its arrival
            const Transfer transfer = schedule.transfer(i);
            has(transfer.to).include(transfer.packets);
        }
    }
    for (NodeId v = 0; folds != nullptr && v < nodes; ++v)
        if (const PacketSet taken = folds->wanted(v); !taken.empty() && !parts[v])
            parts[v] = taken.size() != size_in_segments_of(taken.blocks(), has(v), segments, nodes);
    return parts;
}

std::vector<bool> keepers_of_parts(const Schedule& schedule, const Collective& collective, NodeId nodes) {
    // A node of an exclusive scan keeps its own contribution apart from what came.
    // What is taken in order is folded when all of it has come.
    const OwnFolds* const folds = collective.own_folds();
    return collective.is_exclusive() || (folds != nullptr && folds->has_orders()) ||
                   has_several_runs(schedule, collective, nodes)
               ? std::vector<bool>(nodes, true)
               : senders_of_parts(schedule, collective, nodes);
}

}  // namespace kport
