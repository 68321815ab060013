/// @file targets.hpp   What reads text that somebody else has written: each reader is fed with anything.
///
/// A reader takes the text, or throws RequestError or DoesNotFit with one line. A target feeds one reader, and looks at
/// what was taken: is it what the reader promises, is it the same once it has been written and read again, and can what
/// works with it bear it. Whatever else happens is a finding.
#pragma once

#include <span>
#include <string_view>

namespace kport::fuzz {

// Each throws std::logic_error, or dies, where something is wrong. Each has a file of its own, so that its fuzzer is
// linked with nothing but what it needs: libFuzzer looks at every counter of the program after every run.
void calibration(std::string_view text);
void command_line(std::string_view text);
void numbers(std::string_view text);
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

/// Throws std::logic_error unless it holds; `what` says what does not.
void expect(bool holds, std::string_view what);

/// Feeds a target's reader. A refusal is well if it is one line; everything else that is thrown comes out.
void feed(void (*target)(std::string_view text), std::string_view text);

}  // namespace kport::fuzz
