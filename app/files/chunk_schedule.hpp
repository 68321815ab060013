/// @file chunk_schedule.hpp   Schedules of SCCL, TACCL and TE-CCL: steps of sends of chunks, judged by sets of contributions.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/files/fault_list.hpp"
#include "app/files/told_schedule.hpp"
#include "emulator/base/types.hpp"
#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport::chunked {

/// A chunk, with the ranks that have it before and must have it after. Chunks with one address are contributions to one
/// value.
struct Chunk {
    std::uint64_t address = 0;
    std::vector<NodeId> before = {};  ///< ascending, each once
    std::vector<NodeId> after = {};
};

/// How a receipt changes the receiver's value.
enum class Effect : std::uint8_t {
    by_sets,  ///< disjoint: combined; a superset: replaces it
    fold,
    replace
};

struct Send {
    std::uint32_t address = 0;  ///< an index of ChunkSchedule::addresses
    NodeId from = 0;
    NodeId to = 0;
    Effect effect = Effect::by_sets;
};

/// A step; its sends read the state before it.
struct Step {
    std::string place = {};  ///< "steps[3]"
    std::vector<Send> sends = {};
};

struct ChunkSchedule {
    NodeId ranks = 0;
    std::vector<Chunk> chunks = {};               ///< by address
    std::vector<std::uint64_t> addresses = {};    ///< ascending
    std::vector<std::uint32_t> first_chunk = {};  ///< index of the first chunk of each address, and the end
    std::vector<Step> steps = {};
    bool in_parts = false;  ///< sends carry unnamed parts of chunks: a second receipt is no violation
    std::function<std::string(NodeId)> rank_name = {};            ///< "rank 3"
    std::function<std::string(std::uint32_t)> address_name = {};  ///< for an index of `addresses`: "address 7"

    /// Sorts the chunks by address, and computes `addresses` and `first_chunk`.
    void index();
    [[nodiscard]] std::uint32_t contributions(std::uint32_t address) const {
        return first_chunk[address + 1] - first_chunk[address];
    }
    /// Returns all chunks of an address, as packets of row 0.
    [[nodiscard]] PacketBlock all_of(std::uint32_t address) const {
        return {first_chunk[address], 1, contributions(address)};
    }
};

/// Follows the sends and judges what each rank holds: a send of what its sender lacks and a lost chunk (delivery), a
/// contribution that is combined twice (fold), a chunk that comes again (NODUP) or to its owner (NOHO). Returns the
/// chunks carried by each send of each step; a send of something its sender lacks carries all of its address.
/// Memory   a set for each rank and address that holds something.
[[nodiscard]] std::vector<std::vector<PacketSet>> carried_chunks(const ChunkSchedule& schedule, const Rules& rules,
                                                                 FaultList& faults);

/// The collective and the packets that stand for the chunks.
struct ChunkPackets {
    Collective collective;
    std::vector<PacketBlock> of_chunk;  ///< by chunk
};
/// Identifies the operation by which ranks have the chunks before and after; only the context's, if it names one. Tries
/// `likely`, the name in the file, first. Chunks that only stay at a rank may be missing. Returns nothing if no
/// operation matches.
[[nodiscard]] std::optional<ChunkPackets> operation_of(const ChunkSchedule& schedule, const ScheduleContext& context,
                                                       const std::string& likely);
/// Gives the chunks the promise of the context's operation, matched by what ranks have before. Returns nothing, and
/// leaves `schedule` unchanged, if ranks have other chunks than that operation gives them.
[[nodiscard]] std::optional<ChunkPackets> promised_by(ChunkSchedule& schedule, const ScheduleContext& context);
/// Returns a user-defined collective: packet i is chunk i.
[[nodiscard]] ChunkPackets own_collective(const ChunkSchedule& schedule, std::uint64_t packet_bytes);

/// What a reader has found in a file.
struct ChunkFile {
    ChunkSchedule schedule;
    std::string likely_operation = {};
    std::shared_ptr<const Topology> topology = {};
    /// Whether a send may go from one rank to another; if empty, all channels of `topology` are allowed.
    std::function<bool(NodeId, NodeId)> linked = {};
    std::vector<std::string> remarks = {};
    ForeignJudgement judgement = {};  ///< what was judged, and what cannot be judged
    FaultList faults = {};
};

/// Identifies the operation, judges links and contents, and joins what a step sends from one rank to another into one
/// message. Throws RequestError if the context names an operation with other packets.
[[nodiscard]] ToldSchedule judged_chunks(ChunkFile file, const ScheduleContext& context);

/// Calls read(), and puts the schedule's name in front of its RequestErrors.
[[nodiscard]] ToldSchedule read_named(const std::string& name, const std::function<ToldSchedule()>& read);

}  // namespace kport::chunked

namespace kport::sccl {

/// All links from its sources to its destinations together carry at most `bandwidth` chunks a round.
struct Switch {
    std::string name;
    std::vector<NodeId> sources;
    std::vector<NodeId> destinations;
    double bandwidth = 1;
};

struct ScclFile {
    chunked::ChunkSchedule schedule;         ///< chunks as the sends name them: each chunk of the collective M times
    std::vector<double> rounds;              ///< of each step
    std::string operation = {};              ///< the collective's name in the file: "Allgather"
    std::vector<std::vector<double>> links;  ///< [destination][source]: chunks a round, 0 is no link; empty: not given
    std::vector<Switch> switches;
    std::optional<std::uint64_t> pipeline = {};  ///< steps t, t + pipeline, ... run at the same time
    bool is_taccl = false;                       ///< its topology has another form (`node_links`)
    bool has_topology = false;
};

/// Throws RequestError with the place ("steps[0].sends[2]") and what would be right. O(bytes).
[[nodiscard]] ScclFile read_sccl_text(std::istream& in, const std::string& name);

}  // namespace kport::sccl
