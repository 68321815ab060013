/// @file unknown_option.hpp   An option that a command does not take: what was probably meant.
#pragma once

#include <string_view>

#include "app/requests/command_line.hpp"

namespace kport::requests {

/// Throws RequestError with the option that the word names in other programs, whose value it is, or that is nearest to it; of an
/// option of other commands, with these. `words` are those that were read so far.
[[noreturn]] void refuse_unknown_option(const Words& words, std::string_view word);

}  // namespace kport::requests
