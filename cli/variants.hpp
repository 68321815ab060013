/// @file variants.hpp   The machines that a comparison asks for: every combination of the values given.
#pragma once

#include <string>
#include <vector>

#include "cli/settings.hpp"

namespace kport::cli {

struct Variant {
    Settings settings;
    std::vector<std::string> values;  ///< one for each column of Variants, as the user wrote it
};

struct Variants {
    std::vector<std::string> columns;  ///< what differs: "topology", "ports", ...; empty: there is one machine
    std::vector<Variant> all;
};

/// --sweep for the topology; --ports, --switching, --combining and --keep may have several values with commas between
/// them. The topology changes last. Throws RequestError, DoesNotFit.
[[nodiscard]] Variants variants_of(const Words& words);

}  // namespace kport::cli
