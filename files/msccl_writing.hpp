/// @file msccl_writing.hpp   What MSCCL's XML is put together from: where data stand at each GPU, and the steps of its blocks.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "files/contents.hpp"
#include "files/msccl_text.hpp"
#include "files/slot_layout.hpp"
#include "files/told_schedule.hpp"

namespace kport::msccl {

/// Chunks that lie side by side wherever they stand: of a message, or of a copy.
struct ChunkRun {
    Place source;       ///< at the sender
    Place destination;  ///< at the receiver
    bool folds = false;
    Place folded_with = {};  ///< at the receiver
    std::uint64_t count = 1;
};

/// Joins chunks that follow each other, up to the largest count of a step.
[[nodiscard]] std::vector<ChunkRun> joined(const std::vector<ChunkRun>& chunks);

/// Which value stands where, as the schedule goes on. Contributions are folded in the output, or in scratch where a GPU gets no
/// result of them; never in the input, which belongs to the user.
class WrittenData {
  public:
    WrittenData(const ToldSchedule& told, const slots::Layout& layout);

    void begin_round() { sent_.clear(); }
    /// Takes the values as they stand before anything of the round comes. Throws RequestError where the sender would have to send what
    /// stands nowhere: a part of what it has folded.
    void send(const Transfer& transfer);
    /// In the order of send(): the chunks of the message.
    [[nodiscard]] std::vector<ChunkRun> receive(const Transfer& transfer);
    /// After the last round: what stands in the input of a GPU and must stand in its output.
    [[nodiscard]] std::vector<ChunkRun> own_copies(NodeId v) const;

    [[nodiscard]] std::uint64_t scratch_of(NodeId v) const;

  private:
    /// A packet as (row, column); contributions to a segment and its result are (segment, 0).
    using Name = std::pair<std::uint64_t, std::uint64_t>;
    struct SentChunk {
        Name name;
        Place source;
        slots::Value value = {};
    };

    [[nodiscard]] std::vector<SentChunk> packets_of(const Transfer& transfer);
    [[nodiscard]] std::vector<SentChunk> values_of(const Transfer& transfer) const;
    [[nodiscard]] Place place_of(NodeId v, const Name& packet);
    [[nodiscard]] Place accumulator(NodeId v, std::uint64_t segment);
    [[nodiscard]] Place scratch(NodeId v, const Name& name);
    [[nodiscard]] ChunkRun fold(NodeId to, const SentChunk& sent);

    const ToldSchedule& told_;
    const Collective& collective_;
    const slots::Layout& layout_;
    NodeId nodes_;
    std::vector<std::map<Name, std::uint64_t>> scratch_;              ///< by node
    std::vector<std::map<std::uint64_t, slots::Value>> accumulated_;  ///< by node and segment; own only: not there
    std::vector<std::vector<SentChunk>> sent_;                        ///< of the round, by transfer
    std::size_t received_ = 0;
};

/// The blocks of a GPU. Dependences follow from the slots that steps of other blocks have touched before.
class GpuSteps {
  public:
    void add_message(NodeId peer, bool sends, const ChunkRun& run, Round round);
    /// In a block of its own.
    void add_copy(const ChunkRun& run);
    /// Of each block the last step is enough. What waits for several blocks waits for each but the last with a `nop` before it.
    void settle_waiting();
    /// Throws RequestError beyond the limits of the loaders; `v` says which GPU it is.
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
        std::size_t number = 0;  ///< among those that are written, `nop`s included
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

    std::vector<NodeId> peers_ = {};  ///< by block; no_node: of copies
    std::vector<std::vector<WrittenStep>> blocks_ = {};
    std::map<std::pair<char, std::uint64_t>, Touched> touched_ = {};
};

}  // namespace kport::msccl
