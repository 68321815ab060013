/// @file reported.hpp   What the process with the code of a file reports of a run, and its judgement by the other process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/own_algorithms.hpp"
#include "app/cli/supervised.hpp"
#include "app/session/judged.hpp"

namespace kport::cli {

/// A run as its process reports it. Nothing of it is judged yet.
struct Reported {
    OwnFacts facts = {};
    RunClaims claims = {};
    Schedule schedule = {};
    std::vector<PhaseTime> phases = {};
    std::optional<Prediction> prediction = {};
    std::optional<std::string> misfit = {};   ///< why the algorithm cannot run as asked: then nothing ran
    std::optional<std::string> failure = {};  ///< its code threw an exception

    [[nodiscard]] bool ran() const { return !misfit && !failure; }
};

// In the process with the code: what ends its report but for the exit status.

void report_run(const Report& report, const Schedule& moved, const std::vector<PhaseTime>& phases);
/// One clause that completes "NAME ...".
void report_misfit(const std::string& why);
void report_failure(const std::string& why);

// In the judging process.

/// Waits for the report of a run on a machine of so many nodes, to its end. Throws NoVerdict unless it is one schedule and then its
/// claims. `file`: the name of the algorithm.
[[nodiscard]] Reported reported(Supervision& supervision, const std::string& file, NodeId nodes);

/// Judges it as judged(), and on small machines by the second auditor. The schedule must live as long as the row of the catalogue is
/// used (follow_in_catalogue()).
///
/// Errors   NoVerdict for a schedule that is none of this operation on this machine, and where the auditors disagree; else as judged().
[[nodiscard]] Outcome judged_outcome(const Chosen& chosen, const Reported& run, const Caller& caller);

}  // namespace kport::cli
