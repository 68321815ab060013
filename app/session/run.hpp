/// @file run.hpp   An experiment, or a schedule from a file, becomes a report.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/session/choose.hpp"
#include "emulator/engine/progress.hpp"
#include "emulator/report/judgement.hpp"
#include "emulator/report/report.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// How a run ended.
enum class Ending : std::uint8_t {
    lawful,  ///< all rules kept and everything delivered; kport's exit status 0
    broken,  ///< a rule broken, something not delivered, an injected fault missed, or a cost below its bound; 1
    stopped  ///< stopped before a verdict; 4
};

struct Outcome {
    Report report;
    Ending ending = Ending::lawful;
    bool before_fault = false;  ///< stopped before the fault was injected
};

/// What the caller of a run gives besides: how it stops the run and what it hears of it. All may be left out.
struct Caller {
    const std::atomic<bool>* stop = nullptr;    ///< set by anyone: the run ends after the round, or in a large one
    std::function<void(const Chosen&)> begins;  ///< admitted; its memory is taken next
    ProgressFunction progress;                  ///< as RunOptions::progress
    ComputingFunction computing;                ///< as RunOptions::computing
    Ranks* ranks = nullptr;                     ///< as RunOptions::ranks; not of a run with a fault
    Schedule* recorded_schedule = nullptr;      ///< where to write what moved; null: nowhere, at no cost
    bool counts_brackets = false;               ///< also where no law asks for them (reporting.hpp)
    std::vector<PhaseTime>* phases = nullptr;   ///< as RunOptions::phases; not of a run with a fault
    std::function<void(const Outcome&)> ended;  ///< not where it throws
};

/// Chooses the algorithm, checks that the run fits into memory, runs it, and puts it beside the lower bounds. A broken rule is in the
/// report, no error.
///
/// Threads   Callers may run several at once.
/// Errors    RequestError; DoesNotFit, before anything is allocated; and what the engine throws (run_lockstep()).
[[nodiscard]] Outcome run(const Experiment& experiment, const Caller& caller = {});

/// run() in two steps, for callers that want to see the choice first. planned() validates, checks the memory that every run takes, and
/// chooses the algorithm.
[[nodiscard]] Chosen planned(const Experiment& experiment);
/// Requires  !misfit_of(*chosen.algorithm, ...).
[[nodiscard]] Outcome run(const Chosen& chosen, const Caller& caller = {});

/// A schedule and what it is judged by.
struct Submission {
    std::string name;  ///< as reports call it: "scatter.txt"
    std::string form;  ///< how it is written: "text"
    Machine machine;
    Collective collective;
    Schedule schedule;
    std::vector<std::string> remarks = {};  ///< what was chosen because it does not say it: a clause each
    bool names_machine = false;             ///< it says for which machine it is
    ForeignJudgement judgement = {};        ///< what its reader found, and could not judge
};

/// Judges the schedule by every rule (audit()) and puts it beside the lower bounds. No bytes move. Where its reader judged contents,
/// or found that it cannot run, the audit judges only the rules of the machine.
///
/// Ending   broken: a rule is broken, or the reader found a fault. stopped: otherwise, if something promised was not judged.
/// Errors   as audit(). A broken rule is in the report, no error.
[[nodiscard]] Outcome check(const Submission& submission, bool per_round, const Caller& caller = {});

}  // namespace kport
