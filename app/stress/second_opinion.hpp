/// @file second_opinion.hpp   Second opinions: the umpire and the auditor must find the same, a repeated schedule must tell the same.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/stress/subject.hpp"
#include "app/umpire/umpire.hpp"
#include "emulator/audit/verdict.hpp"
#include "emulator/base/random.hpp"
#include "emulator/engine/execution.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Returns the machine, the operation and the schedule in the umpire's form: neighbours and packets one by one.
/// Cost      O(N * ports + packets in transfers) memory: for small machines.
/// Errors    as require_readable().
[[nodiscard]] umpire::Game game_of(const Schedule& schedule, const Machine& machine, const Collective& collective);

/// Returns the differences between umpire and auditor about a game; empty if they agree. The verdict must come from
/// transfers only, as from audit(): the umpire cannot confirm an engine's findings (payload, results, waiting
/// programs).
///
/// Compares the rules broken; the rule, round, node and packet of every violation listed, and whether the list is
/// complete; the first case of each counted rule; what is held and delivered; the five costs. The umpire enforces every
/// rule: its findings for a rule that is not enforced (Verdict::judged_by) are no objection. Three differences are
/// accepted:
/// * if all ports of a node may be used at a time in full duplex, the channel rule implies the port limit, and either
///   may be reported;
/// * in a round in which some route is no path, the auditor may count the channels that it touches;
/// * beside another channel of the round the auditor may leave out a half duplex trunk that is too full.
[[nodiscard]] std::string disagreement(const umpire::Game& game, const umpire::Opinion& opinion,
                                       const Verdict& verdict);

/// Judges and compares: returns the umpire's objections to the verdict; empty if there are none, or if it was stopped.
[[nodiscard]] std::string second_opinion(const Schedule& schedule, const Machine& machine, const Collective& collective,
                                         const Verdict& verdict, const std::function<bool()>& stops = {});

/// Returns whose result of a reduction is wrong in the umpire's opinion; empty if none is. The auditor must have found
/// the schedule lawful. `contributions`: of the nodes, as text; `results`: those of a RunResult.
[[nodiscard]] std::string opinion_on_results(const Collective& collective, const Reduction& reduction,
                                             const std::vector<std::string>& contributions,
                                             const std::vector<std::string>& results);

/// Returns the umpire's objections to a lockstep run that ended: a message that moved in another round than it should
/// (model.md section 8), or (strict policy) different reports of what would have to wait. Empty if there are none, or
/// if it was stopped. An incomplete list of violations is not compared.
///
/// `asked`, `moved`, `verdict`: of the same run (RunOptions::asked, RunOptions::recorded_schedule).
[[nodiscard]] std::string policy_opinion(const std::vector<AskedSend>& asked, const Schedule& moved,
                                         const Machine& machine, const Collective& collective, const Verdict& verdict,
                                         const std::function<bool()>& stops = {});

/// Repeats a lawful schedule of the case: replayed (packets), followed by programs in lockstep and free, and its bytes
/// moved without programs, on one or two threads and in slices of a random size. Returns the first difference from its
/// audit; empty if there is none, or if it was stopped. Calls ran() after each repetition that compared bytes.
///
/// Cost   three to four runs.
[[nodiscard]] std::string told_differently(const Schedule& schedule, const Case& c, const Verdict& of_schedule,
                                           Dice& dice, const std::function<void(const Executions&)>& ran,
                                           const std::atomic<bool>* stop);

/// Returns the results of nodes that follow the schedule, as RunResult::results, without any code of the engines. A
/// node combines the values of a round by distance, the nearest first, of two equally near the lower one
/// (node/fold_order.hpp gives the reason).
/// Returns nothing if a message carries less than all that its sender has, for values of several segments, in runs or
/// of no bytes, and for a scan.
/// Cost   O(bytes moved).
[[nodiscard]] std::optional<std::vector<std::string>> refolded(const Schedule& schedule, const Case& c);

}  // namespace kport
