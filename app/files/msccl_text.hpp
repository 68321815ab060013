/// @file msccl_text.hpp   The text of MSCCL's XML: the blocks of each GPU, and their steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/files/graphs/text_source.hpp"
#include "app/files/slot_layout.hpp"
#include "emulator/base/types.hpp"

namespace kport::msccl {

/// The effect of a type of step: "rrcs" receives, reduces with its source, copies to its destination, and sends.
struct StepType {
    std::string_view name;
    bool receives = false;
    bool reduces = false;
    bool copies = false;  ///< stores the result at its destination
    bool sends = false;

    [[nodiscard]] bool moves() const { return receives || copies || sends; }
    /// Whether it reads its source; otherwise the source describes the other side and is ignored.
    [[nodiscard]] bool reads_source() const { return moves() && (!receives || reduces); }
};

using slots::Place;

struct Step {
    const StepType* type = nullptr;
    Place source;
    Place destination;
    std::uint64_t count = 1;
    std::int64_t after_block = -1;  ///< it waits for this step of block after_block
    std::int64_t after_step = -1;
    bool awaited = false;  ///< hasdep
    Round round = 0;       ///< from a comment written by kport; 0: none
    TextPlace at = {};

    [[nodiscard]] bool waits() const { return after_block >= 0; }
};

/// A thread block: one peer to send to, one to receive from; no_node if there is none.
struct Block {
    std::uint64_t id = 0;
    NodeId send = no_node;
    NodeId receive = no_node;
    std::uint64_t channel = 0;
    std::vector<Step> steps = {};
    TextPlace at = {};
    TextPlace end = {};  ///< position of its closing tag
};

struct Gpu {
    bool seen = false;
    std::uint64_t inputs = 0;  ///< in chunks
    std::uint64_t outputs = 0;
    std::uint64_t scratch = 0;
    std::vector<Block> blocks = {};  ///< by id
    TextPlace at = {};
    TextPlace end = {};  ///< position of its closing tag
};

struct Algorithm {
    std::string collective;  ///< "broadcast", "custom"
    std::uint64_t chunks = 1;
    bool in_place = false;
    bool out_of_place = true;  ///< if both are set, it must be correct both ways
    std::vector<Gpu> gpus = {};
    std::vector<std::string> own = {};    ///< comments written by kport
    std::vector<std::string> notes = {};  ///< where loaders behave differently from what one may expect
    TextPlace at = {};
};

/// Beginning of kport's comments, and of the one with the rounds of a block's steps.
inline constexpr std::string_view own_words = " kport: ";
inline constexpr std::string_view round_words = "rounds ";

/// Limits of the loaders: of MSCCL, then of RCCL and msccl-scheduler.
inline constexpr std::size_t steps_max = 256;  ///< a block
inline constexpr std::size_t rccl_steps_max = 64;
inline constexpr std::size_t blocks_max = 216;  ///< a GPU
inline constexpr std::size_t rccl_blocks_max = 64;
inline constexpr std::size_t blocks_max_of_channel = 32;
inline constexpr std::uint64_t count_max = 71;

/// Attributes of a step without places, and of one that waits for nothing.
inline constexpr std::string_view no_places = R"(srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1")";
inline constexpr std::string_view no_wait = R"(depid="-1" deps="-1")";

/// Returns the tag of a step, with all attributes that loaders require. `places`: of its source and destination;
/// `after`: depid and deps.
[[nodiscard]] std::string step_tag(std::size_t number, std::string_view type, std::string_view places,
                                   std::uint64_t count, std::string_view after, bool awaited);
[[nodiscard]] std::string places_text(const Place& source, const Place& destination);
[[nodiscard]] std::string wait_text(std::uint64_t block, std::uint64_t step);

/// Reads what a loader reads, and skips what it skips: unknown elements with their contents, and unknown attributes.
/// Throws RequestError with line and column for what a loader would refuse, and for numbers beyond the buffers.
[[nodiscard]] Algorithm read_algorithm(TextSource& text);

}  // namespace kport::msccl
