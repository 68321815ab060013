/// @file counts_file.hpp   Files of the numbers of packets of nodes, or of pairs of nodes.
#pragma once

#include <string>
#include <string_view>

#include "emulator/schedule/counts.hpp"

namespace kport {

/// Whether the text of --counts is the path of a file: it is no list of numbers, and not drawn.
[[nodiscard]] bool names_counts_file(std::string_view text);

/// Reads numbers apart by blanks, commas and line ends; of pairs the row of a node a line. `#` begins a comment. `what` is the
/// operation. Throws RequestError with line and column for what is no number of packets, for too few or too many numbers, and for a
/// file that cannot be read.
[[nodiscard]] Counts read_counts(const std::string& path, std::string_view what, NodeId nodes, CountedFor counted_for);

}  // namespace kport
