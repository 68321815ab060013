/// @file msccl_text.hpp   The text of MSCCL's XML: the blocks of each GPU, and their steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/files/graphs/text_source.hpp"
#include "app/files/slot_layout.hpp"
#include "emulator/base/types.hpp"

namespace kport::msccl {

/// What a type of step does: "rrcs" receives, reduces with what stands at its source, copies to its destination, and sends.
struct StepType {
    std::string_view name;
    bool receives = false;
    bool reduces = false;
    bool copies = false;  ///< stores the outcome at its destination
    bool sends = false;

    [[nodiscard]] bool moves() const { return receives || copies || sends; }
    /// Whether it reads its source; else that describes the other side, and is ignored.
    [[nodiscard]] bool reads_source() const { return moves() && (!receives || reduces); }
};

using slots::Place;

struct Step {
    const StepType* type = nullptr;
    Place source;
    Place destination;
    std::uint64_t count = 1;
    std::int64_t after_block = -1;  ///< it waits for this step of this block
    std::int64_t after_step = -1;
    bool awaited = false;  ///< hasdep
    Round round = 0;       ///< as a comment of kport's says it; 0: none does
    TextPlace at = {};

    [[nodiscard]] bool waits() const { return after_block >= 0; }
};

/// A thread block: one peer to send to, one to receive from; no_node where there is none.
struct Block {
    std::uint64_t id = 0;
    NodeId send = no_node;
    NodeId receive = no_node;
    std::uint64_t channel = 0;
    std::vector<Step> steps = {};
    TextPlace at = {};
    TextPlace end = {};  ///< of its last tag
};

struct Gpu {
    bool seen = false;
    std::uint64_t inputs = 0;  ///< chunks
    std::uint64_t outputs = 0;
    std::uint64_t scratch = 0;
    std::vector<Block> blocks = {};  ///< by id
    TextPlace at = {};
    TextPlace end = {};  ///< of its last tag
};

struct Algorithm {
    std::string collective;  ///< "broadcast", "custom"
    std::uint64_t chunks = 1;
    bool in_place = false;
    bool out_of_place = true;  ///< both: it must hold both ways
    std::vector<Gpu> gpus = {};
    std::vector<std::string> own = {};    ///< what kport's own comments say
    std::vector<std::string> notes = {};  ///< what loaders do with it otherwise than it may seem
    TextPlace at = {};
};

/// What begins them, and the one that says the rounds of the steps of a block.
inline constexpr std::string_view own_words = " kport: ";
inline constexpr std::string_view round_words = "rounds ";

/// Limits of the loaders: of MSCCL, then of RCCL and msccl-scheduler.
inline constexpr std::size_t steps_max = 256;  ///< of a block
inline constexpr std::size_t rccl_steps_max = 64;
inline constexpr std::size_t blocks_max = 216;  ///< of a GPU
inline constexpr std::size_t rccl_blocks_max = 64;
inline constexpr std::size_t blocks_max_of_channel = 32;
inline constexpr std::uint64_t count_max = 71;

/// Attributes of a step that has no places, and of one that waits for nothing.
inline constexpr std::string_view no_places = R"(srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1")";
inline constexpr std::string_view no_wait = R"(depid="-1" deps="-1")";

/// The tag of a step, with all attributes that loaders want. `places`: those of its source and destination; `after`: depid and deps.
[[nodiscard]] std::string step_tag(std::size_t number, std::string_view type, std::string_view places,
                                   std::uint64_t count, std::string_view after, bool awaited);
[[nodiscard]] std::string places_text(const Place& source, const Place& destination);
[[nodiscard]] std::string wait_text(std::uint64_t block, std::uint64_t step);

/// Reads what a loader reads, and skips what it skips: unknown elements with all that they hold, and unknown attributes. Throws
/// RequestError with line and column for what a loader would refuse, and for numbers beyond the buffers.
[[nodiscard]] Algorithm read_algorithm(TextSource& text);

}  // namespace kport::msccl
