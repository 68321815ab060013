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

/// A send, a receive, or something that takes time alone.
struct RankedStep {
    enum class Kind : std::uint8_t { send, receive, calculation };

    Kind kind = Kind::calculation;
    NodeId rank = 0;        ///< no_node: a barrier of all
    NodeId peer = no_node;  ///< no_node: any
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> tag = 0;  ///< nothing: any
    std::uint64_t line = 0;
    std::string packets = {};                     ///< as a comment says them; empty: it does not
    std::vector<std::uint32_t> after = {};        ///< steps that end before this one starts, of the rank or a barrier
    std::vector<std::uint32_t> after_start = {};  ///< steps of the rank that start before this one
    std::string label = {};                       ///< of the step in the file; empty: none
    bool takes_any_size = false;                  ///< of a receive
    std::uint32_t partner = none;                 ///< the step that sends or receives the same message

    static constexpr std::uint32_t none = ~std::uint32_t{0};
};

/// What a file holds.
struct RankedSteps {
    std::string what;  ///< begins the messages: "schedule 'x.goal'"
    NodeId ranks = 0;
    std::vector<RankedStep> steps = {};
    std::vector<std::string> own = {};  ///< what kport's own comments say
    std::vector<std::string> remarks = {};
    FaultList faults = {};  ///< that the reader of the text found
    std::vector<NotJudged> not_judged =
        {};  ///< messages that the file does not hold, such as those of collective actions
};

/// Of kport's own comments the one that says that tags are rounds.
inline constexpr std::string_view tags_are_rounds = "tags are rounds";

/// Matches sends and receives as MPI does, and judges matching, order, sizes and contents. Rounds are the tags, where kport's own
/// comment says so, or the earliest ones; none if something is unmatched or waits in a cycle. Throws RequestError with the line.
[[nodiscard]] ToldSchedule schedule_of(RankedSteps steps, const ScheduleContext& context);

/// The other way: the numbers of the transfers that a rank sends or receives, by rank and round. Throws RequestError for a route that
/// leads nowhere, and for silence on purpose; `form` says who cannot tell that.
[[nodiscard]] std::vector<std::vector<std::size_t>> transfers_by_rank(const ToldSchedule& told, std::string_view form);
/// Of a transfer, at least 1: others take no message of none.
[[nodiscard]] std::uint64_t bytes_of(const Transfer& transfer, const ToldSchedule& told);

}  // namespace kport
