/// @file in_options.hpp   What the library says in its own words, in those of the command line: its options.
#pragma once

#include <string>
#include <string_view>

namespace kport::requests {

/// A refusal: "packet_bytes 12: ..." is "--bytes 12: ...". Others as they are.
[[nodiscard]] std::string in_options(std::string_view refusal);
/// Why an algorithm does not run (Misfit::why), with the option that would mend it.
[[nodiscard]] std::string misfit_in_options(std::string_view why);
/// What a fault needs (FaultInfo::needs): "pairwise, 3 nodes" is "--pairwise, 3 nodes".
[[nodiscard]] std::string need_in_options(std::string_view need);

}  // namespace kport::requests
