#include "emulator/schedule/packet_parts.hpp"

#include <tuple>

namespace kport {

namespace {

/// Segments, and the contributions to each of them as packets of row 0.
using Part = std::pair<Progression, PacketBlocks>;

/// Groups blocks by equal segments.
std::vector<Part> by_segments(std::span<const PacketBlock> blocks) {
    PacketBlocks sorted(blocks.begin(), blocks.end());
    std::ranges::stable_sort(sorted, {}, [](const PacketBlock& b) { return std::tuple(b.row, b.row_stride, b.rows); });
    std::vector<Part> parts;
    for (const PacketBlock& block : sorted) {
        if (parts.empty() || parts.back().first != block.all_rows()) parts.push_back({block.all_rows(), {}});
        parts.back().second.push_back(block_of({}, block.columns()));
    }
    return parts;
}

bool meet(const std::vector<Part>& parts) {
    PacketBlocks segments;
    for (const Part& part : parts) segments.push_back(block_of({}, part.first));
    return common_to_two(span_of(segments)).has_value();
}

/// Splits parts until each segment is in one part only.
std::vector<Part> told_apart(const std::vector<Part>& meeting) {
    std::vector<Part> parts;
    for (const auto& [segments, these] : meeting) {
        Progressions left{segments};
        for (std::size_t i = 0; i < parts.size() && !left.empty(); ++i) {  // includes parts split off here
            Progressions apart;
            for (const Progression& rows : left) {
                const auto both = common(rows, parts[i].first);
                if (!both) {
                    apart.push_back(rows);
                    continue;
                }
                for (const Progression& rest : without(rows, *both)) apart.push_back(rest);
                // Segments outside the overlap keep the old part.
                for (const Progression& rest : without(parts[i].first, *both)) {
                    const PacketBlocks same = parts[i].second;
                    parts.emplace_back(rest, same);
                }
                parts[i].first = *both;
                parts[i].second.insert(parts[i].second.end(), these.begin(), these.end());
            }
            left = std::move(apart);
        }
        for (const Progression& rows : left) parts.emplace_back(rows, these);
    }
    return parts;
}

}  // namespace

std::vector<Part> detail::parts_of(std::span<const PacketBlock> blocks) {
    std::vector<Part> parts = by_segments(blocks);
    return meet(parts) ? told_apart(parts) : parts;
}

std::uint64_t runs_in_all(std::span<const PacketBlock> contributions) {
    std::uint64_t runs = 0;
    for_each_part(contributions, [&](const Progression& segments, std::span<const PacketBlock> nodes) {
        runs += segments.count * runs_of(nodes).size();
    });
    return runs;
}

}  // namespace kport
