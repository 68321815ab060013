/// @file whole_text.hpp   Files of other programs that are read as a whole, within limits.
#pragma once

#include <iosfwd>
#include <string>

#include <nlohmann/json.hpp>

namespace kport {

/// Larger files are refused: parsing takes about ten times the memory.
inline constexpr std::size_t whole_text_bytes_max = std::size_t{256} << 20;

/// Returns the whole text. `what` begins the messages. Throws RequestError if it cannot be read or is too long.
[[nodiscard]] std::string text_in(std::istream& in, const std::string& what);
/// Returns the text of a file: "algorithm './x.cpp' cannot be opened: ...".
[[nodiscard]] std::string text_in_file(const std::string& file, const std::string& what);
/// Returns the text as JSON. Throws RequestError with line and column if it is none.
[[nodiscard]] nlohmann::json json_in(std::istream& in, const std::string& what);
/// Returns the parser's message about a wrong text, in one line without its error numbers.
[[nodiscard]] std::string told_by_json(const nlohmann::detail::exception& error);

}  // namespace kport
