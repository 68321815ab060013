/// @file slot_layout.hpp   Layouts of an operation's data in the buffers of GPUs before and after, as in NCCL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/files/contents.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport::slots {

/// A chunk of memory: buffer, rank, and index. Consecutive chunks have consecutive numbers.
using Slot = std::uint64_t;

inline constexpr std::uint64_t ranks_max = std::uint64_t{1} << 20;
inline constexpr std::uint64_t chunks_max = std::uint64_t{1} << 36;  ///< of a buffer, and of messages

/// `buffer`: i, o or s; m: the chunks of messages in flight.
[[nodiscard]] Slot slot_at(char buffer, NodeId rank, std::uint64_t chunk);
[[nodiscard]] char buffer_of(Slot slot);
[[nodiscard]] NodeId rank_of(Slot slot);
[[nodiscard]] std::uint64_t chunk_of(Slot slot);
/// Returns "GPU 1 i[3]".
[[nodiscard]] std::string slot_name(Slot slot);

/// A place in a buffer of some GPU: input, output or scratch.
struct Place {
    char buffer = 'i';
    std::uint64_t offset = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

/// The table of layouts. Without a promise there is none: every slot has a name of its own, and all are empty.
class Layout {
  public:
    Layout() = default;
    /// `vector`: the chunks of the buffer with all ranks' data, or of the one vector: a multiple of `ranks` if ranks
    /// have shares of it.
    Layout(const Collective& collective, NodeId ranks, std::uint64_t vector, bool in_place);

    /// Whether there is a layout for it: not for a barrier, nor for a user-defined collective.
    [[nodiscard]] static bool exists_for(const Operation& operation);
    /// Whether input or output is a share of the vector.
    [[nodiscard]] static bool has_shares(const Operation& operation);

    /// Returns the layout with names of slots only: nothing is promised, and all slots are empty.
    [[nodiscard]] Layout without_promise() const {
        Layout layout = *this;
        layout.promises_ = false;
        return layout;
    }

    [[nodiscard]] bool promises() const { return promises_; }
    [[nodiscard]] const Collective& collective() const { return collective_; }
    [[nodiscard]] NodeId ranks() const { return ranks_; }
    [[nodiscard]] std::uint64_t inputs() const { return inputs_; }    ///< in chunks
    [[nodiscard]] std::uint64_t outputs() const { return outputs_; }  ///< in chunks

    /// Returns the slot of a name; in place two names may be one slot.
    [[nodiscard]] Slot slot(char buffer, NodeId rank, std::uint64_t chunk) const;
    /// Returns the contents of a slot at the start: one contribution, or nothing.
    [[nodiscard]] std::optional<ContributionRun> initial(Slot slot) const;
    /// Returns what an output chunk of a rank must hold at the end; nothing if it may hold anything.
    [[nodiscard]] std::optional<ContributionRun> wanted(NodeId rank, std::uint64_t chunk) const;

  private:
    Collective collective_ = Collective::none();
    NodeId ranks_ = 0;
    std::uint64_t share_ = 0;  ///< chunks of a rank
    std::uint64_t inputs_ = 0;
    std::uint64_t outputs_ = 0;
    bool in_place_ = false;
    bool promises_ = false;
};

}  // namespace kport::slots
