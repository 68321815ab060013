/// @file compare_sizes.hpp   kport compare --message: which algorithm is the cheapest from which size on.
#pragma once

#include "app/requests/request.hpp"
#include "app/session/experiment.hpp"

namespace kport::requests {

/// Predicts for each size of --message, and writes text, JSON or CSV, and with --plot a picture. Returns the exit status.
/// Throws RequestError.
[[nodiscard]] Answer compare_on_sizes(Request& request, const Experiment& experiment);

}  // namespace kport::requests
