/// @file judgement.hpp   What the reader of a foreign schedule found: faults, and what it could judge.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace KPORT_PUBLIC kport {

/// A kind of fault that a schedule of a foreign format can have. In the order in which the first one names the verdict.
enum class ScheduleFault : std::uint8_t {
    unmatched,
    deadlock,
    count,
    size,
    race,
    link,
    bandwidth,
    ports,
    order,
    unwritten,
    fold,
    delivery,
    nodup,
    noho,
};

/// "race", "NODUP": as reports call it.
[[nodiscard]] std::string_view name(ScheduleFault fault);

/// One fault, as a sentence that names the place and what would be right.
struct FoundFault {
    ScheduleFault fault = ScheduleFault::delivery;
    std::string text;
};

/// A promise that could not be judged: "delivery", "GOAL does not say which packets a message carries".
struct NotJudged {
    std::string what;
    std::string why;
};

/// The result of reading. A well-formed file that cannot run, or runs wrong, has findings; it is not refused.
struct ForeignJudgement {
    std::vector<FoundFault> findings = {};
    std::vector<std::string> judged = {};  ///< "contents", "races", "order"
    std::vector<NotJudged> not_judged = {};
    /// Delivery and holding were judged by contents (slots, sets of contributions); the auditor judges only the machine's rules.
    bool contents_judged = false;
};

}  // namespace kport
