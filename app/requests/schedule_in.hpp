/// @file schedule_in.hpp   Schedules in files that a user names: read, judged, repaired, written.
#pragma once

#include <string>
#include <string_view>

#include "app/files/schedule_forms.hpp"
#include "app/requests/request.hpp"
#include "app/session/run.hpp"

namespace kport::requests {

/// What stands in the file, or in the input where the path is "-", read as the request's words say, else as the file's own options do;
/// with signs of life while it is read. Its options are then those of both. Throws RequestError.
[[nodiscard]] ReadSchedule schedule_in(const std::string& path, Request& request);

/// Throws RequestError for a file that the client does not allow.
void require_readable(const std::string& path, const Client& client);

/// silent: for one of several files that are read at once.
enum class SignsWhileReading { shown, silent };

/// Reads a file as schedule_in() does, to be judged on the machine of the words; what they leave out is as the file says, else as in a
/// run. Silent: any number of threads.
[[nodiscard]] Submission submission_in(const std::string& path, const Words& words, Request& request,
                                       SignsWhileReading signs = SignsWhileReading::shown);

/// Reads a text as submission_in() reads the file with this path.
[[nodiscard]] Submission submission_in_text(const std::string& text, const std::string& path, const Words& words,
                                            const Client& client);

/// Throws RequestError for an option that says what this collective does not have, such as --source of an alltoall.
void refuse_options_without(const Words& words, const Collective& collective);

/// As require_place(), and where no schedule has the file's ending.
void require_place_of_schedule(const Client& client, std::string_view option, const std::string& file);

/// Writes it into the file that an option names, in the form that the file's ending names, without one as JSON. Throws
/// RequestError for what that form cannot say, OutputError where it cannot be written.
void write_schedule_file(Client& client, std::string_view option, const std::string& file, const ToldSchedule& told);

/// Whether the file is an algorithm's source.
[[nodiscard]] bool is_source(const std::string& path);

/// The words of the run that judges an algorithm. Throws RequestError where operation or machine are missing.
[[nodiscard]] Words words_of_run(const Words& words, const std::string& path);

/// A schedule's report; without signs of life. Any thread. Throws RequestError, DoesNotFit.
[[nodiscard]] Outcome judged_schedule(const std::string& path, Request& request);

/// The text of the file, or of the input where the path is "-". Throws RequestError for a folder or an algorithm, which have no
/// repairs, and where it cannot be read.
[[nodiscard]] std::string text_to_repair(const std::string& path, Request& request);

/// What stands below the report: a sentence, and the patch where the text with it was read and judged lawful by the same words.
/// Throws RequestError where schedules of this form have no repairs.
[[nodiscard]] std::string repair_lines(const std::string& text, const Submission& submission, Ending ending,
                                       Request& request);

}  // namespace kport::requests
