/// @file judged_schedule.hpp   Files that kport check judges.
#pragma once

#include <string>

#include "app/requests/request.hpp"
#include "app/session/run.hpp"

namespace kport::requests {

/// Whether the file is an algorithm's source.
[[nodiscard]] bool is_source(const std::string& path);

/// The words of the run that judges an algorithm. Throws RequestError where operation or machine are missing.
[[nodiscard]] Words words_of_run(const Words& words, const std::string& path);

/// A schedule's report; without signs of life. Any thread. Throws RequestError, DoesNotFit.
[[nodiscard]] Outcome judged_schedule(const std::string& path, Request& request);

}  // namespace kport::requests
