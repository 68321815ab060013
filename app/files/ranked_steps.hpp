/// @file ranked_steps.hpp   Schedules as programs of ranks: sends, receives, and what must end before each begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/fault_list.hpp"
#include "app/files/told_schedule.hpp"
#include "emulator/base/types.hpp"

namespace kport {

/// A send, a receive, or a computation.
struct RankedStep {
    enum class Kind : std::uint8_t { send, receive, calculation };

    Kind kind = Kind::calculation;
    NodeId rank = 0;        ///< no_node: a barrier of all
    NodeId peer = no_node;  ///< no_node: any
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> tag = 0;  ///< nothing: any
    std::uint64_t line = 0;
    std::string packets = {};                     ///< from a comment; empty: none
    std::vector<std::uint32_t> after = {};        ///< steps, of the rank or barriers, that end before this one starts
    std::vector<std::uint32_t> after_start = {};  ///< steps of the rank that start before this one
    std::string label = {};                       ///< of the step in the file; empty: none
    bool takes_any_size = false;                  ///< of a receive
    std::uint32_t partner = none;                 ///< the step that sends or receives the same message

    static constexpr std::uint32_t none = ~std::uint32_t{0};
};

/// What a file contains.
struct RankedSteps {
    std::string what;  ///< begins the messages: "schedule 'x.goal'"
    NodeId ranks = 0;
    std::vector<RankedStep> steps = {};
    std::vector<std::string> own = {};  ///< comments written by kport
    std::vector<std::string> remarks = {};
    FaultList faults = {};  ///< found by the reader of the text
    std::vector<NotJudged> not_judged =
        {};  ///< messages that the file does not contain, such as those of collective actions
};

/// The comment that says that tags are rounds.
inline constexpr std::string_view tags_are_rounds = "tags are rounds";

/// Matches sends and receives as MPI does, and judges matching, order, sizes and contents. Rounds are the tags, if a
/// comment of kport's says so, or the earliest ones; none if something is unmatched or waits in a cycle. Throws
/// RequestError with the line.
[[nodiscard]] ToldSchedule schedule_of(RankedSteps steps, const ScheduleContext& context);

/// Returns the numbers of the transfers that a rank sends or receives, by rank and round. Throws RequestError for a
/// route that leads nowhere, and for silent rounds; `form` names the format that cannot express them.
[[nodiscard]] std::vector<std::vector<std::size_t>> transfers_by_rank(const ToldSchedule& told, std::string_view form);
/// Returns the bytes of a transfer, at least 1: other programs accept no empty message.
[[nodiscard]] std::uint64_t bytes_of(const Transfer& transfer, const ToldSchedule& told);

/// Remarks on receives from any rank.
struct StepMatching {
    std::vector<std::string> remarks;   ///< which rank's send each of them takes
    std::vector<NotJudged> not_judged;  ///< the first of them that could take another send, with a different effect
};

/// Sets the partners. The ranks are executed: a step is posted when all that it requires is done, and of the steps that
/// fit, the first posted is matched first. A receive from any rank takes a send only if nothing else can proceed, and
/// leaves a rank the sends that its other receives need. Unreachable steps are matched in the order of the file. O(S
/// log S) for S steps, and the number of concurrently sending ranks for each receive from any rank.
[[nodiscard]] StepMatching match_steps(std::vector<RankedStep>& steps);

}  // namespace kport
