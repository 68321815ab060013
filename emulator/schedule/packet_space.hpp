/// @file packet_space.hpp   The packets that a collective has: what a message may name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_parts.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// Returns the packet that stands for the result of a reduction where it is sent on (reduce, then broadcast): numbered
/// after the contributions. Each segment has one.
[[nodiscard]] inline PacketBlock result_packet(NodeId nodes) { return {static_cast<std::uint32_t>(nodes)}; }
[[nodiscard]] inline PacketBlock result_packets(NodeId nodes, const Progression& segments) {
    return block_of(segments, {static_cast<std::uint32_t>(nodes)});
}
[[nodiscard]] inline Progression all_segments(std::uint64_t segments) {
    return {0, 1, static_cast<std::uint32_t>(segments)};
}
/// Returns all contributions to the segments of some packets; blocks may have segments in common.
[[nodiscard]] PacketSet contributions_to(std::span<const PacketBlock> packets, NodeId nodes);
/// Returns the size of a message of a reduction in packets: a partial result has the size of one packet, whatever is
/// combined in it, and there is one for each segment.
[[nodiscard]] inline std::uint64_t segments_in(std::span<const PacketBlock> packets, std::uint64_t segments) {
    if (segments == 1 || packets.size() <= 1) return packets.empty() ? 0 : packets.front().rows;
    if (packets.size() == 2 && packets.front().all_rows() == packets.back().all_rows()) return packets.front().rows;
    return rows_of(packets).size();
}
/// values_in() for a collective; with in_runs, one value for each run of consecutive contributions to a segment; unfolded, one for each
/// contribution.
[[nodiscard]] inline std::uint64_t values_in(std::span<const PacketBlock> packets, const Collective& collective,
                                             std::uint64_t segments) {
    if (collective.unfolded) return size_of(packets);
    if (!collective.in_runs || (packets.size() == 1 && packets.front().stride == 1)) [[likely]]
        return segments_in(packets, segments);
    return runs_in_all(packets);
}
/// Returns the bytes of a message.
[[nodiscard]] std::uint64_t bytes_in(std::span<const PacketBlock> packets, const Collective& collective,
                                     std::uint64_t segments);
/// Returns the values that some contributions to a segment are, where they come in runs: runs of consecutive nodes, or single nodes.
[[nodiscard]] std::vector<Progression> values_of(std::span<const PacketBlock> contributions,
                                                 const Collective& collective);

/// Returns the contents of a message as packets of one byte; only their number matters.
[[nodiscard]] inline PacketBlock contents_packets(std::uint64_t bytes) {
    return {0, 1, static_cast<std::uint32_t>(bytes)};
}
/// A message is at most this long: its bytes are counted in 32 bits.
inline constexpr std::uint64_t contents_bytes_max = 0xFFFFFFFE;

/// Why a message may not carry the packets that it names.
enum class PacketFault : std::uint8_t {
    none,
    no_packet,       ///< a message carries at least one
    no_such_packet,  ///< the operation has no such packet
    packet_twice,    ///< a message carries a set
    no_step,         ///< a progression has steps of at least 1, also one of a single packet
    beside_result    ///< results of a reduction travel without partial ones
};

/// The packets of a collective on a machine of N nodes, as rows and columns (PacketBlock). Validates blocks that come
/// from elsewhere.
class PacketSpace {
  public:
    PacketSpace(const Collective& collective, NodeId nodes);

    /// Whether all packets of a block exist, at least one, and a result comes without contributions.
    [[nodiscard]] bool has(const PacketBlock& block) const {
        if (counts_ != nullptr) [[unlikely]]
            return numbers(block) && counts_->existing({&block, 1}).size() == block.size();
        return numbers(block);
    }
    /// Whether a message may carry the blocks. O(1) for one block.
    [[nodiscard]] bool allows(std::span<const PacketBlock> packets) const {
        if (packets.size() == 1) [[likely]]
            return has(packets.front());
        if (packets.size() == 2 && are_apart(packets.front(), packets.back())) return true;
        return fault_of(packets).fault == PacketFault::none;
    }
    [[nodiscard]] bool allows(PacketId packet) const {
        return packet < columns_ * rows_ && (counts_ == nullptr || has(block(packet)));
    }
    /// Returns the packet of a number, which must exist.
    [[nodiscard]] PacketBlock block(PacketId packet) const {
        if (rows_ == 1) return {static_cast<std::uint32_t>(packet)};
        return {static_cast<std::uint32_t>(packet % columns_), 1, 1, static_cast<std::uint32_t>(packet / columns_)};
    }

    /// What is wrong, and the first packet concerned.
    struct Finding {
        PacketFault fault = PacketFault::none;
        std::uint64_t row = 0;
        std::uint64_t column = 0;
    };
    [[nodiscard]] Finding fault_of(std::span<const PacketBlock> packets) const;
    [[nodiscard]] Finding fault_of(PacketId packet) const;
    [[nodiscard]] PacketId number(const Finding& finding) const { return finding.row * nodes_ + finding.column; }
    /// Returns "packet 7; scatter on 4 nodes has packets 0 to 3": a message's text after "names".
    [[nodiscard]] std::string text(const Finding& finding) const;

  private:
    PacketSpace(const Operation& operation, NodeId nodes, const PacketCounts& counts);
    [[nodiscard]] std::string text_of_uncounted(const Finding& finding) const;
    /// has(), if all have as many packets as those that have most.
    [[nodiscard]] bool numbers(const PacketBlock& block) const {
        if (block.is_range()) [[likely]]
            return block.count - 1 < columns_ && block.row < rows_ &&
                   std::uint64_t{block.first} + block.count <= (block.count == 1 ? columns_ : columns_of_many_);
        const auto ends_by = [](const Progression& p, std::uint64_t end) {
            return p.count != 0 && p.stride != 0 && p.first + std::uint64_t{p.count - 1} * p.stride < end;
        };
        return ends_by(block.columns(), block.count == 1 ? columns_ : columns_of_many_) &&
               ends_by(block.all_rows(), rows_);
    }
    /// Whether they are disjoint ranges of one row, the common case of contributions that wrap around.
    [[nodiscard]] bool are_apart(const PacketBlock& a, const PacketBlock& b) const {
        const std::uint64_t a_end = std::uint64_t{a.first} + a.count;
        const std::uint64_t b_end = std::uint64_t{b.first} + b.count;
        return a.is_range() && b.is_range() && a.row == b.row && has(a) && has(b) && a_end <= columns_of_many_ &&
               b_end <= columns_of_many_ && (a_end <= b.first || b_end <= a.first);
    }

    Operation operation_;
    NodeId nodes_;
    std::uint64_t columns_;
    std::uint64_t columns_of_many_;  ///< columns when several packets are in one set
    std::uint64_t rows_;
    std::shared_ptr<const Counts> counts_ = nullptr;
};

}  // namespace kport
