/// @file whole_file.hpp   Atomic replacement of a file's content.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kport {

/// Replaces the file's content by the text. It writes a second file beside it first, so on any error the old content stays.
/// A pipe or a device is written directly. Returns the reason of a failure.
///
/// Callers   any thread, for distinct files; other processes see the old content or the new one.
[[nodiscard]] std::optional<std::string> replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace kport
