/// @file msccl_writing.hpp   What MSCCL's XML is put together from: where data stand at each GPU, and the steps of its blocks.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
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
/// result of them; never in the input, which belongs to the user. Where a GPU later sends a part of what it has folded, what comes to
/// it is kept apart, and folded when it is sent.
class WrittenData {
  public:
    WrittenData(const ToldSchedule& told, const slots::Layout& layout);

    void begin_round() { sent_.clear(); }
    /// Takes the values as they stand before anything of the round comes: what the sender must copy ("folds": reduce) before it
    /// sends. Throws RequestError where it would have to send a part of a value that came to it folded.
    [[nodiscard]] std::vector<ChunkRun> send(const Transfer& transfer);
    /// In the order of send(): the chunks of the message.
    [[nodiscard]] std::vector<ChunkRun> receive(const Transfer& transfer);
    /// After the last round: what a GPU must still copy to its output, or reduce there.
    [[nodiscard]] std::vector<ChunkRun> own_copies(NodeId v);

    [[nodiscard]] std::uint64_t scratch_of(NodeId v) const;

  private:
    /// A packet as (row, column); contributions to a segment and its result are (segment, 0).
    using Name = std::pair<std::uint64_t, std::uint64_t>;
    struct SentChunk {
        Name name;
        Place source;
        slots::Value value = {};
    };

    /// A value that is kept apart; composed ones are sums of others.
    struct Piece {
        slots::Value value;
        Place place;
        bool is_composed = false;
    };

    void find_what_is_kept_apart();
    [[nodiscard]] std::optional<Place> simple_source(NodeId from, const SentChunk& chunk);
    void accumulate(NodeId to, const SentChunk& chunk);
    /// Where the value stands, after some copies. Nothing where it is no sum of what came. `target`: where it must stand.
    [[nodiscard]] std::optional<Place> compose(NodeId v, std::uint64_t segment, const slots::Value& value,
                                               std::optional<Place> target, std::vector<ChunkRun>& copies);
    [[nodiscard]] bool is_complete(const slots::Value& value) const;
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
    std::vector<std::map<std::uint64_t, std::vector<Piece>>>
        pieces_;                                ///< where they are kept apart; by node and segment
    std::uint64_t composed_ = 0;                ///< numbers the slots of pieces
    std::vector<std::vector<SentChunk>> sent_;  ///< of the round, by transfer
    std::size_t received_ = 0;
};

/// The blocks of a GPU. Dependences follow from the slots that steps of other blocks have touched before.
class GpuSteps {
  public:
    void add_message(NodeId peer, bool sends, const ChunkRun& run, Round round);
    /// A copy, or a reduction, in the block of a peer, or in a block of its own (no_node).
    void add_local(NodeId peer, const ChunkRun& run, Round round);
    /// Only the last step of each block matters. A step that waits for several blocks has a `nop` before it for each block but the last.
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
