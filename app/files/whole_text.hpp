/// @file whole_text.hpp   Files of other programs that are read as a whole, within limits.
#pragma once

#include <iosfwd>
#include <string>

#include <nlohmann/json.hpp>

namespace kport {

/// Larger ones are refused: what is made of them takes some ten times the memory.
inline constexpr std::size_t whole_text_bytes_max = std::size_t{256} << 20;

/// All of it. `what` begins the messages. Throws RequestError where it cannot be read or is too long.
[[nodiscard]] std::string text_in(std::istream& in, const std::string& what);
/// The same of a file: "algorithm './x.cpp' cannot be opened: ...".
[[nodiscard]] std::string text_in_file(const std::string& file, const std::string& what);
/// The same as JSON; throws RequestError with line and column where it is none.
[[nodiscard]] nlohmann::json json_in(std::istream& in, const std::string& what);
/// What the parser says of a wrong text, in one line without its own numbers of errors.
[[nodiscard]] std::string told_by_json(const nlohmann::detail::exception& error);

}  // namespace kport
