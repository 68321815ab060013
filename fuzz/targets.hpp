/// @file targets.hpp   What reads text that somebody else has written: each reader is fed with anything.
///
/// A reader takes the text, or throws RequestError or DoesNotFit with one line. A target feeds one reader, and looks at
/// what was taken: is it what the reader promises, is it the same once it has been written and read again, and can what
/// works with it bear it. Whatever else happens is a finding.
#pragma once

#include <span>
#include <string_view>

namespace kport::fuzz {

struct Target {
    std::string_view name;
    void (*feed)(std::string_view text);  ///< throws std::logic_error, or dies, where something is wrong
};

/// Topology specifications and nodes, numbers, schedules: the emulator's.
[[nodiscard]] std::span<const Target> emulator_targets();
/// Sizes, sweeps, whole command lines, calibrations: the program's.
[[nodiscard]] std::span<const Target> program_targets();

/// Throws std::logic_error unless it holds; `what` says what does not.
void expect(bool holds, std::string_view what);

/// Feeds a target's reader. A refusal is well if it is one line; everything else that is thrown comes out.
void feed(const Target& target, std::string_view text);

}  // namespace kport::fuzz
