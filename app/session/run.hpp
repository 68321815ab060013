/// @file run.hpp   An experiment becomes a report.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "app/session/choose.hpp"
#include "emulator/engine/progress.hpp"
#include "emulator/report/report.hpp"

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
    bool counts_brackets = false;               ///< also where no law asks for them (agreement.hpp)
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

}  // namespace kport
