/// @file slot_writing.hpp   A schedule as actions of GPUs on chunks of their buffers: local steps, sends and receives.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/files/slot_layout.hpp"
#include "app/files/told_schedule.hpp"

namespace kport::slots {

/// Chunks that are adjacent at both ends of a message or a copy.
struct ChunkRun {
    Place source;       ///< at the sender
    Place destination;  ///< at the receiver
    bool folds = false;
    Place folded_with = {};  ///< at the receiver
    std::uint64_t count = 1;
};

/// An action of a GPU, out of place.
struct WrittenAction {
    enum class Kind : std::uint8_t { local, send, receive };

    Kind kind = Kind::local;
    NodeId at = no_node;
    NodeId peer = no_node;            ///< no_node: local actions that belong to no message
    std::size_t message = 0;          ///< of a send and its receive: number of the transfer
    std::vector<ChunkRun> runs = {};  ///< equal for a send and its receive
    Round round = 0;                  ///< 0: none
};

/// The actions, in an executable order.
struct WrittenProgram {
    Layout layout;
    std::vector<WrittenAction> actions = {};
    std::vector<std::uint64_t> scratch = {};  ///< chunks, by node
};

/// Contributions are combined in the output, or in scratch if a GPU gets no result; never in the input, which belongs
/// to the user. `form`: the format's name in messages; its runs have at most `count_max` chunks.
///
/// Errors   RequestError for silent rounds, operations without buffers, routes that lead nowhere, and values that are
///          no sum of received ones.
[[nodiscard]] WrittenProgram written_program(const ToldSchedule& told, std::string_view form, std::uint64_t count_max);

}  // namespace kport::slots
