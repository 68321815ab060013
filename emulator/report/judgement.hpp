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

/// An edit of a schedule's text: the value of an attribute of the tag at the place; or, without an attribute, lines before the place.
struct TextEdit {
    std::uint64_t line = 0;         ///< from 1
    std::uint64_t column = 1;       ///< in characters, from 1
    std::string attribute = {};     ///< "depid"
    std::string text = {};          ///< the value; or whole lines, without white space that all of them begin with
    std::uint64_t indented_as = 0;  ///< lines: as this line is
    std::string what = {};          ///< in words, where a repair may do without it: "hasdep=\"1\" at block 0 step 2"
};

/// A change that may end a fault: what is missing, and the edits that make it. Judge the edited text before relying on it.
struct Repair {
    std::string where = {};  ///< "GPU 1"
    std::string what = {};   ///< "depid=\"0\" deps=\"1\" at block 1 step 1"
    std::vector<TextEdit> edits = {};

    /// What it changes, the edits that it may do without behind it.
    [[nodiscard]] std::string in_words() const {
        std::string text = what;
        for (const TextEdit& edit : edits)
            if (!edit.what.empty()) text += " and " + edit.what;
        return text;
    }
};

/// One fault, as a sentence that names the place and what would be right.
struct FoundFault {
    ScheduleFault fault = ScheduleFault::delivery;
    std::string text;
    std::vector<Repair> repairs = {};  ///< each may end it, the likeliest first
    std::uint64_t count = 1;           ///< above 1: of several that are not named, at least so many
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
