/// @file mscclpp_plan_writer.cpp   Writes the JSON of MSCCL++ execution plans, an operation a line.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/files/mscclpp_plan.hpp"

namespace kport::mscclpp {

namespace {

/// Numbers things in the order in which they are first named.
template <class Thing>
class Numbering {
  public:
    std::size_t number_of(const Thing& thing) {
        const auto found = std::ranges::find(things_, thing);
        const auto number = static_cast<std::size_t>(found - things_.begin());
        if (found == things_.end()) things_.push_back(thing);
        return number;
    }
    [[nodiscard]] const std::vector<Thing>& things() const { return things_; }

  private:
    std::vector<Thing> things_;
};

using RemoteBufferName = std::pair<NodeId, char>;  ///< GPU and buffer

/// A GPU's part of the file. All channels are memory channels.
class GpuText {
  public:
    GpuText(const Gpu& gpu, NodeId rank) : gpu_(gpu), rank_(rank) {
        for (std::size_t i = 0; i < gpu.blocks.size(); ++i) add_block(i);
    }

    [[nodiscard]] std::string text() const {
        std::string buffers;
        for (const auto& [rank, buffer] : remote_.things())
            buffers += fmt::format(R"({}{{"rank": {}, "type": "{}", "access_channel_types": ["memory"]}})",
                                   buffers.empty() ? "" : ", ", rank, buffer);
        return fmt::format(R"(  {{"id": {}, "input_chunks": {}, "output_chunks": {}, "scratch_chunks": {},
   "threadblocks": [{}],
   "channels": [{{"channel_type": "memory", "connected_to": [{}]}}],
   "remote_buffers": [{}],
   "semaphores": []}})",
                           rank_, gpu_.inputs, gpu_.outputs, gpu_.scratch, blocks_, fmt::join(gpu_.peers[0], ", "),
                           buffers);
    }

  private:
    /// What the lists of a block refer to.
    struct BlockLists {
        Numbering<std::uint64_t> channels;
        Numbering<std::size_t> buffers;  ///< numbers of the GPU's remote buffers
    };

    void add_block(std::size_t number) {
        BlockLists lists;
        std::string operations;
        for (const Operation& operation : gpu_.blocks[number])
            operations += (operations.empty() ? "\n     " : ",\n     ") + text_of(operation, lists);
        blocks_ += fmt::format(R"({}
    {{"id": {}, "ops": [{}],
     "channels": [{{"channel_type": "memory", "channel_ids": [{}]}}],
     "remote_buffer_refs": [{{"access_channel_type": "memory", "remote_buffer_ids": [{}]}}]}})",
                               blocks_.empty() ? "" : ",", number, operations, fmt::join(lists.channels.things(), ", "),
                               fmt::join(lists.buffers.things(), ", "));
    }

    std::string text_of(const Operation& operation, BlockLists& lists) {
        const OperationType& type = *operation.type;
        std::string text = fmt::format(R"({{"name": "{}")", type.name);
        if (!operation.sources.empty())
            text += fmt::format(R"(, "src_buff": [{}], "dst_buff": [{}])", text_of(operation.sources, lists),
                                text_of(operation.targets, lists));
        if (!operation.channels.empty()) {
            std::vector<std::size_t> ids;
            for (const ChannelEnd& end : operation.channels) ids.push_back(lists.channels.number_of(end.id));
            text += fmt::format(R"(, "channel_ids": [{}])", fmt::join(ids, ", "));
        }
        if (!operation.channels.empty() || type.reads_remote || type.writes_remote)
            text += R"(, "channel_type": "memory")";
        if (type.kind == Kind::reduce) text += R"(, "reduce_op": "sum")";
        if (operation.is_barrier)
            text += fmt::format(R"(, "barrier_id": {}, "num_threadblocks": {})", operation.barrier,
                                operation.barrier_blocks);
        if (operation.round != 0) text += fmt::format(R"(, "round": {})", operation.round);
        return text + "}";
    }

    std::string text_of(const std::vector<ChunkRef>& chunks, BlockLists& lists) {
        std::string text;
        for (const ChunkRef& chunk : chunks) {
            const std::string where =
                chunk.rank == rank_
                    ? fmt::format(R"("type": "{}")", chunk.buffer)
                    : fmt::format(R"("buffer_id": {})",
                                  lists.buffers.number_of(remote_.number_of({chunk.rank, chunk.buffer})));
            text += fmt::format(R"({}{{{}, "index": {}, "size": {}}})", text.empty() ? "" : ", ", where, chunk.index,
                                chunk.size);
        }
        return text;
    }

    const Gpu& gpu_;
    NodeId rank_;
    Numbering<RemoteBufferName> remote_ = {};
    std::string blocks_ = {};
};

}  // namespace

void write_plan(std::ostream& out, const Plan& plan) {
    out << fmt::format(
        R"({{"name": "kport", "collective": "{}", "protocol": "Simple", "inplace": {}, "reuse_resources": false,
 "gpus": [
)",
        plan.collective, plan.in_place);
    for (NodeId rank = 0; rank < plan.gpus.size(); ++rank)
        out << (rank == 0 ? "" : ",\n") << GpuText(plan.gpus[rank], rank).text();
    out << fmt::format(
        R"(],
 "num_threads_per_block": 1024, "use_double_scratch_buffer": false, "buffer_alignment": 16,
 "min_message_size": 0, "max_message_size": {},
 "kport": {}}}
)",
        std::numeric_limits<std::uint64_t>::max(), nlohmann::json(plan.own).dump());
}

}  // namespace kport::mscclpp
