/// @file compare_many.hpp   kport compare on many machines: a row for each machine and algorithm.
#pragma once

#include "app/cli/variants.hpp"

namespace kport::cli {

/// Looks at every machine before the first run, runs them one after the other, writes them all as a table, as CSV
/// or as JSON. Returns the exit status. Throws RequestError where a machine has no algorithm, DoesNotFit, and what an engine throws.
[[nodiscard]] int compare_on_many(const Words& words, const Variants& variants);

}  // namespace kport::cli
