/// @file whole_file.hpp   Atomic replacement of a file's content.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace kport {

/// Replaces the file's content by the text. Writes a second file beside it first, so on any error the old content
/// stays. Writes directly to a pipe or a device. Returns the reason of a failure.
///
/// Callers   any thread, for distinct files; other processes see the old content or the new one.
[[nodiscard]] std::optional<std::string> replace_file(const std::filesystem::path& file, std::string_view text);

/// Returns why replace_file() would fail before it writes; nothing if it would begin. Creates and removes the second
/// file. For pipes and devices the answer is always nothing.
[[nodiscard]] std::optional<std::string> why_not_replaced(const std::filesystem::path& file);

/// Replaces the content by what `write` puts into the stream, which throws on write errors. Other exceptions of `write`
/// are passed on; the old content then stays, too.
[[nodiscard]] std::optional<std::string> replace_file(const std::filesystem::path& file,
                                                      const std::function<void(std::ostream&)>& write);

}  // namespace kport
