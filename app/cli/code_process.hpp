/// @file code_process.hpp   The process that runs code from a file, and reports to the one that judges it (cli/supervised.hpp).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kport::cli {

/// What a piece of a report is. In the pipe a piece is its kind, the number of its bytes in 32 bits, and the bytes.
enum class Piece : char {
    alive = 'a',     ///< a sign of life
    text = 't',      ///< of the text for standard output
    schedule = 's',  ///< of the schedule
    claims = 'c',    ///< of what the run says of itself
    end = 'e'        ///< one byte, the exit status: nothing follows
};
inline constexpr std::size_t piece_max = std::size_t{1} << 16;  ///< bytes of a piece
inline constexpr std::size_t head_bytes = 1 + sizeof(std::uint32_t);

/// Makes this process, just forked from `judge`, the one with the code: `report`, `out` and `err` are the ends of pipes to write its
/// report and its standard outputs to; it has no other file. In a session of its own, so that terminal signals and kill(0) reach
/// only one of the two processes.
void become_code_process(int report, int out, int err, pid_t judge);

/// If the variable KPORT_SEALED is set, as for strangers' programs (process.hpp), to a number: forks this process into so many
/// (requests/client.hpp), starts the signs of life, then seals each. The first one reports; what the others tell is lost. Returns whether
/// that is done. Throws RequestError where it cannot be.
[[nodiscard]] bool sealed_if_asked();

/// Whether this is that process.
[[nodiscard]] bool supervised();
/// Starts the signs of life of that process, one a second until it ends.
void give_signs_of_life();
/// Sends a part of the report; any thread of that process. A copy of the process, made by fork(), ends here.
void report_piece(Piece kind, std::string_view bytes);

/// Ends this process now, with this status; in the process with the code, its report too. No destructor runs.
[[noreturn]] void end_at_once(int status);

}  // namespace kport::cli
