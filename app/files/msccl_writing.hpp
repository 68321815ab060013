/// @file msccl_writing.hpp   Builds the steps of a GPU's blocks in MSCCL's XML.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/files/msccl_text.hpp"
#include "app/files/slot_writing.hpp"

namespace kport::msccl {

using slots::ChunkRun;

/// The blocks of a GPU. Dependences follow from earlier accesses of slots by steps of other blocks.
class GpuSteps {
  public:
    void add_message(NodeId peer, bool sends, const ChunkRun& run, Round round);
    /// Adds a copy or a reduction in the block of a peer, or in a separate block (no_node).
    void add_local(NodeId peer, const ChunkRun& run, Round round);
    /// Only the last step of each block matters. A step that waits for several blocks gets a `nop` before it for each
    /// block but the last.
    void settle_waiting();
    /// Throws RequestError beyond the limits of the loaders; `v` is the GPU.
    void put(std::ostream& out, NodeId v) const;

  private:
    using StepName = std::pair<std::size_t, std::size_t>;  ///< block and step
    struct WrittenStep {
        std::string_view type;
        Place source;
        Place destination;
        std::uint64_t count = 1;
        Round round = 0;
        std::set<StepName> after = {};
        std::size_t number = 0;  ///< number among written steps, `nop`s included
        bool awaited = false;
    };
    struct Touched {
        std::vector<StepName> written_by = {};  ///< at most one
        std::vector<StepName> read_by = {};     ///< since then
    };

    std::size_t block_for(NodeId peer);
    void add(std::size_t block, WrittenStep step, bool reads, bool writes);
    void put_block(std::ostream& out, std::size_t block) const;
    void put_step(std::string& lines, const WrittenStep& step, std::vector<Round>& rounds) const;

    std::vector<NodeId> peers_ = {};  ///< by block; no_node: copies
    std::vector<std::vector<WrittenStep>> blocks_ = {};
    std::map<std::pair<char, std::uint64_t>, Touched> touched_ = {};
};

}  // namespace kport::msccl
