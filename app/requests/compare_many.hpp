/// @file compare_many.hpp   kport compare on many machines: a row for each machine and algorithm.
#pragma once

#include "app/requests/request.hpp"
#include "app/requests/variants.hpp"

namespace kport::requests {

/// Looks at every machine before the first run, runs them one after the other, writes them all as a table, as CSV
/// or as JSON. Returns the exit status. Throws RequestError where a machine has no algorithm, DoesNotFit, and what an engine throws.
[[nodiscard]] Answer compare_on_many(Request& request, const Variants& variants);

}  // namespace kport::requests
