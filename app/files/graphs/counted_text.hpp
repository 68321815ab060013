/// @file counted_text.hpp   Numbers in the text of a graph, read strictly.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/files/graphs/graph_builder.hpp"
#include "app/files/graphs/text_source.hpp"

namespace kport {

/// The whole number that stands next in this line. Refuses anything else, and a number that is not from `least` to `most`; `what` is
/// "the number of rows".
[[nodiscard]] std::uint64_t read_count(TextSource& text, std::string_view what, std::uint64_t least,
                                       std::uint64_t most);
/// The finite number that stands next in this line.
[[nodiscard]] double read_number(TextSource& text, std::string_view what);
/// To the begin of the next line; refuses what is left of this one.
void end_line(TextSource& text);
/// Passes blank lines and those that begin with `comment`; whether another line follows.
[[nodiscard]] bool at_line_of(TextSource& text, char comment);

}  // namespace kport
