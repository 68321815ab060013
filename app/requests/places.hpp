/// @file places.hpp   Files that a user names for what is written: checked before the work begins, replaced as a whole.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace kport::requests {

/// Throws RequestError for a folder, for a name in a folder that does not exist, and for "-": standard output has the report.
/// `option`: empty for a file that a word names.
void require_usable_name(std::string_view option, const std::string& file);
/// Throws RequestError as require_usable_name() does, and where the file could not be replaced.
void require_writable_place(std::string_view option, const std::string& file);
/// Replaces the file by what `write` puts into the stream. Throws OutputError where it cannot be written, and what `write` throws;
/// the old file stays then.
void replace_named_file(std::string_view option, const std::string& file,
                        const std::function<void(std::ostream&)>& write);

}  // namespace kport::requests
