/// @file second_opinion.hpp   The umpire beside the auditor: both must find the same.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/umpire/umpire.hpp"
#include "emulator/audit/verdict.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// The machine, the operation and the schedule in the umpire's words: neighbours and packets one by one.
/// Cost      O(N * ports + packets in transfers) memory: for small machines.
/// Errors    as require_readable().
[[nodiscard]] umpire::Game game_of(const Schedule& schedule, const Machine& machine, const Collective& collective);

/// The differences between umpire and auditor about a game; empty if they agree. The verdict must be of transfers alone,
/// as of audit(): the umpire cannot confirm an engine's findings (payload, results, waiting programs).
///
/// Compared are the rules broken; the rule, round, node and packet of every violation listed, and whether any that should be
/// is not; the same of the first case of a rule that is counted; what is held and delivered; the five costs. The umpire knows
/// every rule as law: what it finds of a rule that is not (Verdict::judged_by) is no objection. Two differences are none:
/// * where all ports of a node may be used at a time in full duplex, the channel rule implies the port limit, and either
///   may be named;
/// * in a round in which some route is no path, the auditor may count the channels that it touches.
[[nodiscard]] std::string disagreement(const umpire::Game& game, const umpire::Opinion& opinion,
                                       const Verdict& verdict);

/// Both in one: the umpire's objections to the verdict; empty if there are none, or if it was stopped.
[[nodiscard]] std::string second_opinion(const Schedule& schedule, const Machine& machine, const Collective& collective,
                                         const Verdict& verdict, const std::function<bool()>& stops = {});

/// The same of the results of a reduction that the auditor found lawful: which node's, in the umpire's opinion, is wrong;
/// empty if none is. `contributions` are what the nodes contribute, as text, and `results` those of a RunResult.
[[nodiscard]] std::string opinion_on_results(const Collective& collective, const Reduction& reduction,
                                             const std::vector<std::string>& contributions,
                                             const std::vector<std::string>& results);

}  // namespace kport
