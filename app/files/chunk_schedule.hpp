/// @file chunk_schedule.hpp   Schedules of SCCL, TACCL and TE-CCL: steps of sends of chunks, judged by sets of contributions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/files/fault_list.hpp"
#include "app/files/told_schedule.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "emulator/schedule/rules.hpp"

namespace kport::chunked {

/// Chunks that ranks have before and must have after. Chunks with one address are contributions to one value.
struct Chunk {
    std::uint64_t address = 0;
    std::vector<NodeId> before = {};  ///< ascending, each once
    std::vector<NodeId> after = {};
};

/// What a receipt does to the value that the receiver has.
enum class Effect : std::uint8_t {
    by_sets,  ///< disjoint: folded; a superset: replaces it
    fold,
    replace
};

struct Send {
    std::uint32_t address = 0;  ///< an index of ChunkSchedule::addresses
    NodeId from = 0;
    NodeId to = 0;
    Effect effect = Effect::by_sets;
};

/// Its sends read what was there before it.
struct Step {
    std::string place = {};  ///< "steps[3]"
    std::vector<Send> sends = {};
};

struct ChunkSchedule {
    NodeId ranks = 0;
    std::vector<Chunk> chunks = {};               ///< by address
    std::vector<std::uint64_t> addresses = {};    ///< ascending
    std::vector<std::uint32_t> first_chunk = {};  ///< of each address, and the end
    std::vector<Step> steps = {};
    bool in_parts = false;  ///< sends carry parts of chunks, which have no names: a second one is no second receipt
    std::function<std::string(NodeId)> rank_name = {};            ///< "rank 3"
    std::function<std::string(std::uint32_t)> address_name = {};  ///< of an index of `addresses`: "address 7"

    /// Sorts the chunks by address, and finds `addresses` and `first_chunk`.
    void index();
    [[nodiscard]] std::uint32_t contributions(std::uint32_t address) const {
        return first_chunk[address + 1] - first_chunk[address];
    }
    /// All chunks of an address, as the packets of row 0.
    [[nodiscard]] PacketBlock all_of(std::uint32_t address) const {
        return {first_chunk[address], 1, contributions(address)};
    }
};

/// Follows the sends and judges what each rank holds: a send of what its sender does not hold and a lost chunk (delivery), a
/// contribution that is folded twice (fold), a chunk that comes again (NODUP) or to its owner (NOHO). Returns which chunks each send
/// of each step carries; a send of what is not there carries all of its address.
/// Memory   a set for each rank and address that holds something.
[[nodiscard]] std::vector<std::vector<PacketSet>> carried_chunks(const ChunkSchedule& schedule, const Rules& rules,
                                                                 FaultList& faults);

/// The packets that the chunks are.
struct ChunkPackets {
    Collective collective;
    std::vector<PacketBlock> of_chunk;  ///< by chunk
};
/// The operation whose packets the chunks are, by who has what before and after: in the context's words only that one. `likely` is what
/// the file calls it, which is tried first. Chunks that a rank only keeps may be missing. Nothing if there is none.
[[nodiscard]] std::optional<ChunkPackets> operation_of(const ChunkSchedule& schedule, const ScheduleContext& context,
                                                       const std::string& likely);
/// Makes the chunks promise what the context's operation promises, by what ranks have before. Nothing if ranks have other chunks than that
/// operation gives them; then `schedule` is as it was.
[[nodiscard]] std::optional<ChunkPackets> promised_by(ChunkSchedule& schedule, const ScheduleContext& context);
/// A collective of its own: packet i is chunk i.
[[nodiscard]] ChunkPackets own_collective(const ChunkSchedule& schedule, std::uint64_t packet_bytes);

/// What a reader has found out of a file beside its chunks.
struct ChunkFile {
    ChunkSchedule schedule;
    std::string likely_operation = {};
    std::shared_ptr<const Topology> topology = {};
    /// Whether a send may go from one rank to another; if empty, all channels of `topology`.
    std::function<bool(NodeId, NodeId)> linked = {};
    std::vector<std::string> remarks = {};
    ForeignJudgement judgement = {};  ///< what was judged, and what cannot be
    FaultList faults = {};
};

/// Finds the operation, judges links and contents, and puts what a step sends from one rank to another into one message. Throws RequestError for an
/// operation in the context that has other packets.
[[nodiscard]] ToldSchedule judged_chunks(ChunkFile file, const ScheduleContext& context);

/// Calls read(). What it refuses begins with the schedule's name.
[[nodiscard]] ToldSchedule read_named(const std::string& name, const std::function<ToldSchedule()>& read);

}  // namespace kport::chunked
