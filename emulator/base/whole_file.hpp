/// @file whole_file.hpp   Atomic replacement of a file's content.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace kport {

/// Replaces the file's content by the text. It writes a second file beside it first, so on any error the old content stays.
/// A pipe or a device is written directly. Returns the reason of a failure.
///
/// Callers   any thread, for distinct files; other processes see the old content or the new one.
[[nodiscard]] std::optional<std::string> replace_file(const std::filesystem::path& file, std::string_view text);

/// Why replace_file() would fail before it writes; nothing where it would begin. It makes the second file and removes it; of a pipe
/// or a device nothing is known before.
[[nodiscard]] std::optional<std::string> why_not_replaced(const std::filesystem::path& file);

/// Replaces it by what `write` puts into the stream, which throws where it cannot be written. Throws what `write` throws besides; the
/// old content stays then, too.
[[nodiscard]] std::optional<std::string> replace_file(const std::filesystem::path& file,
                                                      const std::function<void(std::ostream&)>& write);

}  // namespace kport
