/// @file repaired.hpp   kport check --repair: the patch that makes a broken schedule lawful.
#pragma once

#include <string>

#include "app/requests/request.hpp"
#include "app/session/check.hpp"

namespace kport::requests {

/// The text of the file, or of the input where the path is "-". Throws RequestError for a folder or an algorithm, which have no
/// repairs, and where it cannot be read.
[[nodiscard]] std::string text_to_repair(const std::string& path, Request& request);

/// What stands below the report: a sentence, and the patch where the text with it was read and judged lawful by the same words.
/// Throws RequestError where schedules of this form have no repairs.
[[nodiscard]] std::string repair_lines(const std::string& text, const Submission& submission, Ending ending,
                                       Request& request);

}  // namespace kport::requests
