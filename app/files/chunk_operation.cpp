/// @file chunk_operation.cpp   Identifies the operation of a file's chunks by which ranks have them before and after.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/files/chunk_schedule.hpp"
#include "emulator/base/error.hpp"

namespace kport::chunked {

namespace {

using Ranks = std::vector<NodeId>;
/// The ranks that have a packet before and after. Those that have it before count as having it after, whether or not a
/// file says so.
struct HasWhat {
    Ranks before;
    Ranks after;

    auto operator<=>(const HasWhat&) const = default;
};

HasWhat before_and_after(const Ranks& before, const Ranks& after) {
    HasWhat what{before, {}};
    std::ranges::set_union(before, after, std::back_inserter(what.after));
    return what;
}

struct OperationPacket {
    PacketBlock block;
    HasWhat what;
};

/// Returns all packets of a collective, by column and row; nothing if they and their holders are more than `most`.
std::optional<std::vector<OperationPacket>> packets_of_operation(const Collective& collective, NodeId ranks,
                                                                 std::uint64_t most) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, HasWhat> packets;
    std::uint64_t total = 0;
    for (NodeId v = 0; v < ranks; ++v) {
        const PacketSet owned = collective.owned(v, ranks);
        const PacketSet wanted = collective.wanted(v, ranks);
        total += owned.size() + wanted.size();
        if (total > most) return std::nullopt;
        const auto add = [&](const PacketSet& set, Ranks HasWhat::*list) {
            for (const PacketBlock& block : set.blocks())
                for (std::uint32_t j = 0; j < block.rows; ++j)
                    for (std::uint32_t i = 0; i < block.count; ++i)
                        (packets[{block.columns()[i], block.all_rows()[j]}].*list).push_back(v);
        };
        add(owned, &HasWhat::before);
        add(wanted, &HasWhat::after);
    }
    std::vector<OperationPacket> all;
    for (const auto& [place, what] : packets)
        all.push_back({{place.first, 1, 1, place.second}, before_and_after(what.before, what.after)});
    return all;
}

class OperationMatch {
  public:
    /// With `by_before` only the ranks that have chunks before must match.
    OperationMatch(const ChunkSchedule& schedule, const ScheduleContext& context, bool by_before)
        : schedule_(schedule), context_(context), by_before_(by_before) {
        for (std::uint32_t i = 0; i < schedule_.chunks.size(); ++i) {
            const Chunk& chunk = schedule_.chunks[i];
            const HasWhat what = before_and_after(chunk.before, chunk.after);
            size_ += what.before.size() + what.after.size();
            chunks_[key_of(what)].push_back(i);
        }
    }

    [[nodiscard]] std::optional<ChunkPackets> match(const Operation& operation) {
        if (operation.signals() || !operation.promises() || operation->fit != nullptr) return std::nullopt;
        for (const NodeId root : roots(operation)) {
            Collective collective = Collective::of(operation, root, context_.packet_bytes);
            for (const std::uint64_t m : packets_each(collective)) {
                collective.packets_each = m;
                if (auto found = match(collective)) return found;
            }
        }
        return std::nullopt;
    }
    /// Returns, by chunk, which ranks have its packet before and after. Only after a match.
    [[nodiscard]] const std::vector<HasWhat>& matched() const { return matched_; }

  private:
    [[nodiscard]] HasWhat key_of(HasWhat what) const {
        if (by_before_) what.after.clear();
        return what;
    }

    /// Returns candidates for the root.
    [[nodiscard]] std::set<NodeId> roots(const Operation& operation) const {
        if (!operation.rooted()) return {0};
        if (context_.root && context_.machine.topology) return {context_.machine.topology->node(*context_.root)};
        std::set<NodeId> roots;
        for (const Chunk& chunk : schedule_.chunks) {
            const Ranks& has = operation.inwards() ? chunk.after : chunk.before;
            if (has.size() == 1) roots.insert(has.front());
            if (roots.size() > 2) break;  // chunks kept by one rank add at most one name
        }
        return roots;
    }

    /// Returns candidates for M if the chunks are those of the operation, with or without chunks that do not move.
    [[nodiscard]] std::set<std::uint64_t> packets_each(const Collective& collective) const {
        const auto one = packets_of_operation(collective, schedule_.ranks, most());
        if (!one) return {};
        const auto kept = static_cast<std::size_t>(std::ranges::count_if(
            *one, [](const OperationPacket& packet) { return packet.what.before == packet.what.after; }));
        std::set<std::uint64_t> possible;
        for (const std::size_t packets : {one->size(), one->size() - kept})
            if (packets != 0 && schedule_.chunks.size() % packets == 0)
                possible.insert(schedule_.chunks.size() / packets);
        possible.erase(0);
        return possible;
    }
    [[nodiscard]] std::uint64_t most() const {
        return by_before_ ? std::max<std::uint64_t>(size_ + 2 * schedule_.ranks, std::uint64_t{1} << 22)
                          : size_ + 2 * schedule_.ranks * std::max<std::uint64_t>(1, schedule_.chunks.size());
    }

    [[nodiscard]] std::optional<ChunkPackets> match(const Collective& collective) {
        const auto packets = packets_of_operation(collective, schedule_.ranks, most());
        if (!packets) return std::nullopt;
        std::map<HasWhat, std::vector<const OperationPacket*>> of_operation;
        for (const OperationPacket& packet : *packets) of_operation[key_of(packet.what)].push_back(&packet);
        ChunkPackets found{collective, std::vector<PacketBlock>(schedule_.chunks.size())};
        matched_.assign(schedule_.chunks.size(), {});
        for (const auto& [what, chunks] : chunks_) {
            const auto same = of_operation.find(what);
            if (same == of_operation.end()) return std::nullopt;
            std::vector<const OperationPacket*>& there = same->second;
            if (there.size() != chunks.size()) std::erase_if(there, moves_nowhere);
            if (there.size() != chunks.size()) return std::nullopt;
            for (std::size_t i = 0; i < chunks.size(); ++i) {
                found.of_chunk[chunks[i]] = there[i]->block;
                matched_[chunks[i]] = there[i]->what;
            }
            of_operation.erase(same);
        }
        for (const auto& [what, missing] : of_operation)
            if (!std::ranges::all_of(missing, moves_nowhere)) return std::nullopt;
        if (!shares_addresses_as(collective, found)) return std::nullopt;
        return found;
    }
    static bool moves_nowhere(const OperationPacket* packet) { return packet->what.before == packet->what.after; }

    /// Contributions to one segment share an address; copied packets have one address each.
    [[nodiscard]] bool shares_addresses_as(const Collective& collective, const ChunkPackets& found) const {
        if (!collective.folds()) return schedule_.addresses.size() == schedule_.chunks.size();
        std::set<std::uint32_t> segments;
        for (std::uint32_t address = 0; address < schedule_.addresses.size(); ++address) {
            const std::uint32_t segment = found.of_chunk[schedule_.first_chunk[address]].row;
            if (!segments.insert(segment).second) return false;
            for (std::uint32_t i = schedule_.first_chunk[address]; i < schedule_.first_chunk[address + 1]; ++i)
                if (found.of_chunk[i].row != segment) return false;
        }
        return true;
    }

    const ChunkSchedule& schedule_;
    const ScheduleContext& context_;
    bool by_before_;
    std::uint64_t size_ = 0;
    std::map<HasWhat, std::vector<std::uint32_t>> chunks_;
    std::vector<HasWhat> matched_;
};

}  // namespace

std::optional<ChunkPackets> operation_of(const ChunkSchedule& schedule, const ScheduleContext& context,
                                         const std::string& likely) {
    OperationMatch match(schedule, context, false);
    if (context.operation) return match.match(*context.operation);
    // A custom name in the file need not be an operation's.
    if (const auto meant = operation_meant(likely))
        if (auto found = match.match(*meant)) return found;
    for (const Operation& operation : operations())
        if (auto found = match.match(operation)) return found;
    return std::nullopt;
}

std::optional<ChunkPackets> promised_by(ChunkSchedule& schedule, const ScheduleContext& context) {
    OperationMatch match(schedule, context, true);
    auto found = match.match(*context.operation);
    if (!found) return std::nullopt;
    for (std::size_t i = 0; i < schedule.chunks.size(); ++i) schedule.chunks[i].after = match.matched()[i].after;
    return found;
}

ChunkPackets own_collective(const ChunkSchedule& schedule, std::uint64_t packet_bytes) {
    ChunkPackets own;
    std::vector<PacketSet> before(schedule.ranks);
    std::vector<PacketSet> after(schedule.ranks);
    for (std::uint32_t i = 0; i < schedule.chunks.size(); ++i) {
        own.of_chunk.push_back({i});
        for (const NodeId rank : schedule.chunks[i].before) before[rank].add(PacketBlock{i});
        for (const NodeId rank : schedule.chunks[i].after) after[rank].add(PacketBlock{i});
    }
    own.collective = Collective::custom({"collective", schedule.chunks.size(),
                                         [before = std::move(before)](NodeId v) { return before[v]; },
                                         [after = std::move(after)](NodeId v) { return after[v]; }, packet_bytes});
    return own;
}

}  // namespace kport::chunked
