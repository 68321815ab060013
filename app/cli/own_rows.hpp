/// @file own_rows.hpp   The algorithms of a comparison that files hold: each runs in a process of its own, and is judged here.
#pragma once

#include <memory>
#include <span>

#include "app/cli/commands.hpp"
#include "app/session/comparison.hpp"

namespace kport::cli {

/// Compiles the files that the words name, runs each in every experiment in a process of its own, and adds rows for them to the
/// catalogue; null if they name none. A process that ends without a complete schedule is a failure of its row. Call it before there
/// are threads: it forks.
///
/// Memory   the schedules of all these runs.
/// Errors   as OwnFiles(); NoVerdict where a signal has ended such a process.
[[nodiscard]] std::unique_ptr<OutOfProcess> own_rows(const Words& words, std::span<const Experiment> experiments);

}  // namespace kport::cli
