/// @file joined.hpp   The ranks with which mpirun has started this program.
#pragma once

#include <string_view>

#include "app/cli/commands.hpp"
#include "app/session/experiment.hpp"
#include "emulator/ranks/ranks.hpp"

namespace kport::cli {

/// The ranks that run the command together; null: this process alone. Set by join_ranks().
[[nodiscard]] Ranks* joined_ranks();
/// This process, or those ranks.
[[nodiscard]] Company company();

/// Looks at what the launcher says, loads the plug-in of its MPI, and makes sure that all ranks are this program with these
/// arguments. Of several ranks all but the first are silent from then on. Throws RequestError, on all ranks.
void join_ranks(int argc, const char* const* argv);

/// Throws RequestError for commands and options that several ranks do not have.
void require_for_ranks(const Words& words);

/// The end of the program at every rank: each waits for the others, and ends with its status, what it has printed being on its way. Where others go on,
/// this one ends all of them and says `why`, which the first one has said already. Also without ranks.
[[nodiscard]] int leave_ranks(int status, std::string_view why);
/// Several ranks: ends all of them for a reason that this one may have alone. Else does nothing.
void give_up_ranks(int status, std::string_view why);

}  // namespace kport::cli
