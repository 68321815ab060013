/// @file whole_file.hpp   A file is written as a whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kport {

/// Puts the text in the place of what the file held. It is written beside the file first: whatever goes wrong, what was
/// there before stays. What is no ordinary file (a pipe, a device) is written to directly. Returns why it could not be.
///
/// Callers   any thread, for distinct files; other processes see the old content or the new one.
[[nodiscard]] std::optional<std::string> replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace kport
