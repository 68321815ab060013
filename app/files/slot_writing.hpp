/// @file slot_writing.hpp   A schedule as what GPUs do with chunks of their buffers: local steps, sends and receives.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/files/slot_layout.hpp"
#include "app/files/told_schedule.hpp"

namespace kport::slots {

/// Chunks that lie side by side wherever they stand: of a message, or of a copy.
struct ChunkRun {
    Place source;       ///< at the sender
    Place destination;  ///< at the receiver
    bool folds = false;
    Place folded_with = {};  ///< at the receiver
    std::uint64_t count = 1;
};

/// What a GPU does, out of place.
struct WrittenAction {
    enum class Kind : std::uint8_t { local, send, receive };

    Kind kind = Kind::local;
    NodeId at = no_node;
    NodeId peer = no_node;            ///< no_node: of local actions that belong to no message
    std::size_t message = 0;          ///< of a send and its receive: number of the transfer
    std::vector<ChunkRun> runs = {};  ///< of a send and its receive the same
    Round round = 0;                  ///< 0: none
};

/// The actions stand in an order in which they can be executed one after the other.
struct WrittenProgram {
    Layout layout;
    std::vector<WrittenAction> actions = {};
    std::vector<std::uint64_t> scratch = {};  ///< chunks, by node
};

/// Contributions are folded in the output, or in scratch where a GPU gets no result of them; never in the input, which belongs to the
/// user. `form` is what messages call the format, whose runs have at most `count_max` chunks.
///
/// Errors   RequestError for silent rounds, operations without buffers, routes that lead nowhere, and values that no sum of what
///          came makes.
[[nodiscard]] WrittenProgram written_program(const ToldSchedule& told, std::string_view form, std::uint64_t count_max);

}  // namespace kport::slots
