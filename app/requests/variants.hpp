/// @file variants.hpp   The machines of a comparison: every combination of the given values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/requests/command_line.hpp"
#include "app/session/experiment.hpp"

namespace kport::requests {

struct Variants {
    std::vector<std::string> columns;  ///< the varied options: "topology", "ports", ...; empty: one machine
    std::vector<Experiment> experiments;
    std::vector<std::vector<std::string>> values;  ///< of each experiment: one for each column, as the user wrote it
};

/// --sweep for the topology; listed_options (several.hpp), --bytes and --packets (also ranges), --ts, --td and --tm may have several values with commas between them; for `compare` --source too (several.hpp), for `bench` --threads.
/// The topology changes last, the source first. Throws RequestError, DoesNotFit.
[[nodiscard]] Variants variants_of(const Words& words);

/// The common part: "broadcast on mesh:4x5   3 machines, 1-port full duplex, store-and-forward, source 0, ..."
[[nodiscard]] std::string common_line(const Words& words, const Variants& variants, std::string_view one_of_them);

}  // namespace kport::requests
