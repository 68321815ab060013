/// @file msccl_text.hpp   The text of MSCCL's XML: the blocks of each GPU, and their steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/base/types.hpp"
#include "files/graphs/text_source.hpp"

namespace kport::msccl {

/// What a type of step does: "rrcs" receives, reduces with what stands at its source, copies to its destination, and sends.
struct StepType {
    std::string_view name;
    bool receives = false;
    bool reduces = false;
    bool copies = false;  ///< stores the outcome at its destination
    bool sends = false;
};

/// A place in a buffer: input, output or scratch.
struct Place {
    char buffer = 'i';
    std::uint64_t offset = 0;
};

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
};

/// A thread block: one peer to send to, one to receive from; no_node where there is none.
struct Block {
    std::uint64_t id = 0;
    NodeId send = no_node;
    NodeId receive = no_node;
    std::uint64_t channel = 0;
    std::vector<Step> steps = {};
    TextPlace at = {};
};

struct Gpu {
    bool seen = false;
    std::uint64_t inputs = 0;  ///< chunks
    std::uint64_t outputs = 0;
    std::uint64_t scratch = 0;
    std::vector<Block> blocks = {};
};

struct Algorithm {
    std::string collective;  ///< "broadcast", "custom"
    std::uint64_t chunks = 1;
    bool in_place = false;
    std::vector<Gpu> gpus = {};
    std::vector<std::string> own = {};  ///< what kport's own comments say
};

/// What begins them, and the one that says the rounds of the steps of a block.
inline constexpr std::string_view own_words = " kport: ";
inline constexpr std::string_view round_words = "rounds ";

/// Limits of the runtime, for those who write.
inline constexpr std::size_t steps_max = 256;
inline constexpr std::size_t blocks_max = 32;  ///< of a GPU, in one channel
inline constexpr std::uint64_t count_max = 71;

/// Throws RequestError with line and column: for what is no such text, for numbers beyond the buffers, and for steps without a
/// peer.
[[nodiscard]] Algorithm read_algorithm(TextSource& text);

}  // namespace kport::msccl
