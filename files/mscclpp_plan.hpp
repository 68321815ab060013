/// @file mscclpp_plan.hpp   The text of MSCCL++ execution plans: operations of thread blocks, with their channels and buffers looked up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/base/types.hpp"

namespace kport::mscclpp {

enum class Kind : std::uint8_t {
    meet,     ///< all threads of the block meet: nop, barrier
    signal,   ///< to the other end of channels
    wait,     ///< for it
    flush,    ///< the puts of a port channel have read their source
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

/// Chunks of a buffer.
struct ChunkRef {
    NodeId rank = 0;
    char buffer = 'i';
    std::uint64_t index = 0;
    std::uint64_t size = 1;
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
    bool is_port = false;  ///< by port channels: it ends before the data have moved
    bool is_barrier = false;
    std::uint64_t barrier = 0;
    std::uint64_t barrier_blocks = 0;
};

struct Gpu {
    std::uint64_t inputs = 0;  ///< chunks
    std::uint64_t outputs = 0;
    std::uint64_t scratch = 0;
    std::vector<std::vector<NodeId>> peers = {{}, {}};            ///< of memory and of port channels, by id
    std::vector<std::vector<std::uint64_t>> ordinals = {{}, {}};  ///< how many channels before it go to the same peer
    /// Ids of the channels of a type to a peer, in order.
    std::map<std::pair<bool, NodeId>, std::vector<std::uint64_t>> channels_to = {};
    std::vector<std::vector<Operation>> blocks = {};
};

struct Plan {
    std::string collective;
    bool in_place = false;
    std::vector<Gpu> gpus = {};
    std::vector<std::string> notes = {};
    std::vector<std::string> unjudged = {};  ///< names of operations that are not judged

    [[nodiscard]] NodeId peer_of(const ChannelEnd& end) const {
        return gpus[end.rank].peers[end.is_port ? 1 : 0][end.id];
    }
    /// The end at the peer, which there must be.
    [[nodiscard]] ChannelEnd other_end(const ChannelEnd& end) const;
};

/// Reads it as the runtime does. Throws RequestError for what is not there, with its path behind `what`:
/// "schedule 'x.json': gpus[0].threadblocks[1].ops[2]: ...".
[[nodiscard]] Plan read_plan(const nlohmann::json& file, const std::string& what);

}  // namespace kport::mscclpp
