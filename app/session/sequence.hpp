/// @file sequence.hpp   Operations one after the other: what a phase gives its members is what the next one moves.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/session/run.hpp"
#include "emulator/base/error.hpp"

namespace kport {

/// Phases on one machine, in order.
///
/// A phase moves what its members have: where something folds or is folded in the whole the values of segments, else packets. At the
/// start each node has what the whole gives it. A node that has put something into a phase has in its place what the phase promises it;
/// after a reduction that gives it a result it has this result, else what it had. What the receiver holds already is left out of a
/// message.
struct Sequence {
    std::string name;  ///< of its file
    Machine machine;   ///< as it was named
    std::optional<Experiment>
        whole;  ///< what all phases together promise, and how that is run; nothing: only phases are judged
    /// Each with its operation, members or groups, algorithm, root and operator. Counts that are given must be those of what the members
    /// have. In a sequence that promises nothing as a whole the numbers of packets of members that have nothing yet.
    std::vector<Experiment> phases;
};

/// A phase cannot be run as asked.
class PhaseRefused : public RequestError {
  public:
    PhaseRefused(std::size_t number, const std::string& text) : RequestError(text), phase(number) {}
    std::size_t phase;  ///< its index
};

/// Runs the phases, each by itself, then the messages of all of them as one run of the whole, with its bytes. The report has a report
/// for each phase: its own verdict, its part of the whole's counts, and its own bounds unless something was left out of its messages. A
/// phase whose members do not have what it needs moves nothing, is not lawful, and has a remark.
///
/// Ending   broken: the whole is, or if nothing is promised some phase.
/// Errors   PhaseRefused; as run().
[[nodiscard]] Outcome run(const Sequence& sequence, const Caller& caller = {});

/// Whether a phase may do this: with `whole`, what all together promise; null: nothing. Throws RequestError if not.
void require_phase_of(const Operation& phase, const Operation* whole);

}  // namespace kport
