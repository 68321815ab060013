/// @file commands.hpp   The commands that answer() serves, a file each.
#pragma once

#include <string_view>

#include "app/requests/request.hpp"

namespace kport::requests {

/// Each throws RequestError, DoesNotFit, OutputError, NoVerdict, and what an engine throws.
[[nodiscard]] Answer run(Request& request);
/// `run sequence FILE`.
[[nodiscard]] Answer run_sequence(Request& request);
[[nodiscard]] Answer compare(Request& request);
[[nodiscard]] Answer bounds(Request& request);
[[nodiscard]] Answer check(Request& request);
[[nodiscard]] Answer convert(Request& request);
[[nodiscard]] Answer list(Request& request);
[[nodiscard]] Answer info(Request& request);
[[nodiscard]] Answer show(Request& request);
[[nodiscard]] Answer explain(Request& request);
[[nodiscard]] Answer search(Request& request);
[[nodiscard]] Answer stress(Request& request);
[[nodiscard]] Answer tolerance(Request& request);

}  // namespace kport::requests
