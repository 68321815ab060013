#include "emulator/schedule/packet_space.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

PacketSet contributions_to(std::span<const PacketBlock> packets, NodeId nodes) {
    PacketSet all;
    const PacketSet segments = rows_of(packets);
    for (const PacketBlock& some : segments.blocks())
        all.add(block_of(some.columns(), {0, 1, static_cast<std::uint32_t>(nodes)}));
    return all;
}

std::uint64_t bytes_in(std::span<const PacketBlock> packets, const Collective& collective, std::uint64_t segments) {
    const Counts* const bytes = collective.counts == nullptr ? nullptr : collective.counts->bytes();
    if (bytes == nullptr)
        return collective.packet_bytes *
               (collective.folds() ? values_in(packets, collective, segments) : size_of(packets));
    if (!collective.folds()) return bytes->sum_of(packets);
    std::uint64_t sum = 0;
    for_each_part(packets, [&](const Progression& some, std::span<const PacketBlock> contributions) {
        const PacketBlock of_segments = block_of(some, {});
        const std::uint64_t values = collective.in_runs ? values_of(contributions, collective).size() : 1;
        sum += bytes->sum_of({&of_segments, 1}) * values;
    });
    return sum;
}

std::vector<Progression> values_of(std::span<const PacketBlock> contributions, const Collective& collective) {
    if (!collective.unfolded) return runs_of(contributions);
    std::vector<Progression> alone;
    for (const PacketBlock& block : contributions)
        for (std::uint32_t i = 0; i < block.count; ++i) alone.push_back(Progression{block.columns()[i]});
    std::ranges::sort(alone, {}, &Progression::first);
    return alone;
}

PacketSpace::PacketSpace(const Collective& collective, NodeId nodes)
    : PacketSpace(collective.operation, nodes, collective.operation->packets(collective, nodes)) {
    counts_ = collective.counts;
}

PacketSpace::PacketSpace(const Operation& operation, NodeId nodes, const PacketCounts& counts)
    : operation_(operation), nodes_(nodes), columns_(counts.columns + (operation.folds() ? 1 : 0)),
      columns_of_many_(counts.columns), rows_(counts.rows) {}

namespace {

/// Returns the first member that is not below the end; nothing if there is none.
std::optional<std::uint64_t> first_beyond(const Progression& p, std::uint64_t end) {
    if (p.first >= end) return p.first;
    if (p.count == 1) return std::nullopt;
    const std::uint64_t steps = (end - p.first + p.stride - 1) / p.stride;
    return steps < p.count ? std::optional(p.first + steps * p.stride) : std::nullopt;
}

}  // namespace

PacketSpace::Finding PacketSpace::fault_of(std::span<const PacketBlock> packets) const {
    if (packets.empty()) return {PacketFault::no_packet};
    for (const PacketBlock& block : packets) {
        if (has(block)) continue;
        if (block.size() == 0) return {PacketFault::no_packet};
        const bool stands_still = (block.count > 1 && block.stride == 0) || (block.rows > 1 && block.row_stride == 0);
        if (stands_still) return {PacketFault::packet_twice, block.row, block.first};
        if (block.stride == 0 || block.row_stride == 0) return {PacketFault::no_step, block.row, block.first};
        if (counts_ != nullptr && numbers(block)) {
            const PacketBlock none = without({&block, 1}, counts_->existing({&block, 1})).front();
            return {PacketFault::no_such_packet, none.row, none.first};
        }
        // the fault is beside_result
        if (!first_beyond(block.columns(), columns_) && !first_beyond(block.all_rows(), rows_)) break;
        return {PacketFault::no_such_packet, first_beyond(block.all_rows(), rows_).value_or(block.row),
                first_beyond(block.columns(), columns_).value_or(block.first)};
    }
    if (packets.size() > 1)
        if (const auto both = common_to_two(packets)) return {PacketFault::packet_twice, both->row, both->first};
    const PacketBlock results = result_packets(nodes_, {0, 1, static_cast<std::uint32_t>(rows_)});
    const auto reaches_result = [&](const PacketBlock& block) {
        return block.first + std::uint64_t{block.count - 1} * block.stride >= results.first;
    };
    if (operation_.folds() && size_of(packets) > 1 && std::ranges::any_of(packets, reaches_result))
        if (const PacketBlocks there = in_both(packets, {&results, 1});
            !there.empty() && size_of(span_of(there)) < size_of(packets))
            return {PacketFault::beside_result, there.front().row, results.first};
    return {};
}

PacketSpace::Finding PacketSpace::fault_of(PacketId packet) const {
    if (allows(packet)) return {};
    if (rows_ == 1) return {PacketFault::no_such_packet, 0, packet};
    return {PacketFault::no_such_packet, packet / nodes_, packet % nodes_};
}

std::string PacketSpace::text_of_uncounted(const Finding& finding) const {
    const std::uint64_t m = counts_->packets_each();
    const NodeId of = finding.row / m;
    switch (counts_->counted_for()) {
        case CountedFor::blocks:
            return fmt::format("segment {} of block {}, which has {}", finding.row % m, of, counts_->of(of));
        case CountedFor::pairs:
            return fmt::format("packet {} from node {} to node {}, and there {}", finding.row % m, of, finding.column,
                               counts_->of(of, finding.column) == 1
                                   ? std::string("is 1")
                                   : fmt::format("are {}", counts_->of(of, finding.column)));
        default:
            return fmt::format("packet {} of node {}, which has {}", finding.row, finding.column,
                               counts_->of(finding.column));
    }
}

std::string PacketSpace::text(const Finding& finding) const {
    switch (finding.fault) {
        case PacketFault::none: break;
        case PacketFault::no_packet: return "no packet; a message carries at least one";
        case PacketFault::no_such_packet:
            if (counts_ != nullptr && finding.row < rows_ && finding.column < columns_)
                return text_of_uncounted(finding);
            if (operation_->carries == Carries::copies && columns_ == 1)
                return fmt::format("packet {}; a {} moves packet 0 alone", finding.column, name(operation_));
            if (!operation_.promises())
                return fmt::format("byte {}; contents have bytes 0 to {}", finding.column, columns_ - 1);
            if (rows_ > 1 && operation_.folds())
                return fmt::format(
                    "contribution {} of segment {}; {} on {} has contributions 0 to {} of segments 0 to {}",
                    finding.column, finding.row, name(operation_), counted(nodes_, "node"), nodes_ - 1, rows_ - 1);
            if (rows_ > 1)
                return fmt::format("the packet of row {} and column {}; {} on {} has {}", finding.row, finding.column,
                                   name(operation_), counted(nodes_, "node"),
                                   rows_ == columns_
                                       ? fmt::format("rows and columns 0 to {}", rows_ - 1)
                                       : fmt::format("rows 0 to {} and columns 0 to {}", rows_ - 1, columns_ - 1));
            if (finding.row > 0) return fmt::format("row {}; {} has row 0 alone", finding.row, name(operation_));
            return fmt::format("packet {}; {} on {} has packets 0 to {}", finding.column, name(operation_),
                               counted(nodes_, "node"), columns_ - 1);
        case PacketFault::no_step: return fmt::format("packet {} in steps of 0; want at least 1", number(finding));
        case PacketFault::packet_twice:
            return fmt::format("packet {} twice; a message carries a set of packets", number(finding));
        case PacketFault::beside_result:
            return fmt::format("packet {}, the result, beside others; it travels in a message of its own",
                               number(finding));
    }
    return {};
}

}  // namespace kport
