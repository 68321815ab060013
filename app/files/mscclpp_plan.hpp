/// @file mscclpp_plan.hpp   The text of MSCCL++ execution plans: operations of thread blocks, with their channels and buffers looked up.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/files/slot_program.hpp"
#include "emulator/base/types.hpp"
#include "emulator/report/judgement.hpp"
#include "emulator/schedule/operation.hpp"

namespace kport::mscclpp {

enum class Kind : std::uint8_t {
    meet,     ///< all threads of the block meet: nop, barrier
    signal,   ///< sends a signal to the other ends of channels
    wait,     ///< waits for a signal
    flush,    ///< waits until the puts of a port channel have read their sources
    copy,     ///< source by source to target by target
    reduce,   ///< all targets := the sum of all sources
    unjudged  ///< known to the runtime, and not judged
};

struct OperationType {
    std::string_view name;
    Kind kind = Kind::unjudged;
    bool relaxed = false;         ///< a signal or wait that publishes no data
    bool signals = false;         ///< after the data
    bool flushes = false;         ///< after the data
    bool reads_packets = false;   ///< all sources, or when it reduces all but the first: it waits for them
    bool writes_packets = false;  ///< all targets, or when it reduces all but the first
    bool reads_remote = false;    ///< as for packets
    bool writes_remote = false;
};

/// Returns the type of that name, which must exist.
[[nodiscard]] const OperationType& operation_type(std::string_view name);

/// Names of collectives in plans, with their operations.
inline constexpr std::array<std::pair<std::string_view, const kport::Operation*>, 4> collectives{
    {{"allreduce", &kport::Operation::allreduce},
     {"allgather", &kport::Operation::allgather},
     {"reducescatter", &kport::Operation::reduce_scatter},
     {"alltoall", &kport::Operation::alltoall}}};

/// Limits of the executor.
inline constexpr std::size_t operations_max = 64;  ///< a block
inline constexpr std::size_t pairs_max = 8;        ///< sources, and targets, of an operation

/// Chunks of a buffer.
struct ChunkRef {
    NodeId rank = 0;
    char buffer = 'i';
    std::uint64_t index = 0;
    std::uint64_t size = 1;

    friend bool operator==(const ChunkRef&, const ChunkRef&) = default;
};

/// The end of a channel at a GPU: the id counts its channels of one type.
struct ChannelEnd {
    NodeId rank = 0;
    bool is_port = false;
    std::uint64_t id = 0;

    friend auto operator<=>(const ChannelEnd&, const ChannelEnd&) = default;
};

struct Operation {
    const OperationType* type = nullptr;
    std::vector<ChunkRef> sources = {};
    std::vector<ChunkRef> targets = {};
    std::vector<ChannelEnd> channels = {};
    bool is_port = false;  ///< by port channels: the operation ends before the data have moved
    bool is_barrier = false;
    std::uint64_t barrier = 0;
    std::uint64_t barrier_blocks = 0;
    Round round = 0;  ///< from kport's member; 0: none
};

struct Gpu {
    std::uint64_t inputs = 0;  ///< in chunks
    std::uint64_t outputs = 0;
    std::uint64_t scratch = 0;
    std::vector<std::vector<NodeId>> peers = {{}, {}};            ///< peers of memory and of port channels, by id
    std::vector<std::vector<std::uint64_t>> ordinals = {{}, {}};  ///< number of earlier channels to the peer
    /// Returns the ids of the channels of a type to a peer, in order.
    std::map<std::pair<bool, NodeId>, std::vector<std::uint64_t>> channels_to = {};
    std::vector<std::vector<Operation>> blocks = {};

    void add_channel(bool is_port, NodeId peer);
};

struct Plan {
    std::string collective;
    bool in_place = false;
    std::vector<Gpu> gpus = {};
    std::vector<std::string> own = {};  ///< kport's member
    std::vector<std::string> notes = {};
    std::vector<std::string> unjudged = {};  ///< names of operations that are not judged

    [[nodiscard]] NodeId peer_of(const ChannelEnd& end) const {
        return gpus[end.rank].peers[end.is_port ? 1 : 0][end.id];
    }
    /// Returns the end at the peer, which must exist.
    [[nodiscard]] ChannelEnd other_end(const ChannelEnd& end) const;
};

/// Reads a plan as the runtime does. Throws RequestError for missing or wrong members, with their path after `what`:
/// "schedule 'x.json': gpus[0].threadblocks[1].ops[2]: ...".
[[nodiscard]] Plan read_plan(const nlohmann::json& file, const std::string& what);

/// Writes what a runtime loads, for all sizes of messages. Remote buffers and the lists of each block follow from the
/// operations.
void write_plan(std::ostream& out, const Plan& plan);

/// The program with signals and packets matched. With findings it is not executed.
struct BuiltProgram {
    slots::SlotProgram program = {};
    std::vector<Round> rounds = {};         ///< of each message, from the file; 0: none
    std::vector<FoundFault> findings = {};  ///< unmatched signals, waits, packets and barriers
};

/// Operations of a block are unordered, except signals and waits among themselves, unless a nop or barrier is between
/// them.
[[nodiscard]] BuiltProgram build_program(const Plan& plan, const slots::Layout& layout);

/// Returns what would order two events of a race: "a nop between them".
[[nodiscard]] std::string missing_synchronization(const BuiltProgram& built, EventId first, EventId second);

}  // namespace kport::mscclpp
