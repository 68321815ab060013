/// @file targets.hpp   The fuzz targets: one for each reader of foreign text.
///
/// A reader accepts the text, or throws RequestError or DoesNotFit with one line. A target feeds one reader and checks an
/// accepted text: it has the promised properties, it survives writing and reading, and the code that uses it does not crash.
/// Anything else is a finding.
#pragma once

#include <span>
#include <string_view>

namespace kport::fuzz {

// Each throws std::logic_error, or crashes, on a finding. Each has a file of its own, so that its fuzzer links only what it
// needs: libFuzzer reads every counter of the program after every run.
void calibration(std::string_view text);
void command_line(std::string_view text);
void forms(std::string_view text);
void graph(std::string_view text);
void numbers(std::string_view text);
void promise(std::string_view text);
void schedule(std::string_view text);
void sizes(std::string_view text);
void sweep(std::string_view text);
void system(std::string_view text);
void topology(std::string_view text);

struct Target {
    std::string_view name;
    void (*look_at)(std::string_view text);
};

/// All of them.
[[nodiscard]] std::span<const Target> targets();

/// Throws std::logic_error with `what` unless the condition holds.
void expect(bool holds, std::string_view what);

/// Feeds a target's reader. Accepts a refusal of one line; passes every other exception on.
void feed(void (*target)(std::string_view text), std::string_view text);

}  // namespace kport::fuzz
