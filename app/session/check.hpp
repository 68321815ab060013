/// @file check.hpp   Judges a schedule from a file.
#pragma once

#include <string>
#include <vector>

#include "app/session/run.hpp"
#include "emulator/report/judgement.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

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
