/// @file repair.hpp   Small faults of a schedule's text repaired: edits that its judge suggests, tried until it finds none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/report/judgement.hpp"

namespace kport {

/// What a judge says of a text.
struct JudgedText {
    bool lawful = false;
    std::vector<FoundFault> faults = {};
    std::uint64_t other_faults = 0;  ///< that nothing is suggested for
};
/// Throws RequestError for a text that is refused.
using JudgeOfText = std::function<JudgedText(const std::string& text)>;

/// Limits of the search.
inline constexpr std::size_t repair_changes_max = 8;
inline constexpr std::size_t repair_tries_max = 512;
inline constexpr std::uint64_t repair_bytes_max = std::uint64_t{64} << 20;  ///< of all texts that are judged

struct FoundRepair {
    std::vector<std::string> changes = {};  ///< in words; empty: none was found
    std::string patch = {};                 ///< a unified diff, as patch takes it
    bool searched_all = true;               ///< else the search ended at a limit of work
};

/// Searches for few of the suggested changes after which the text is lawful: the text with them was judged, and none of them can be left
/// out. Each change may bring suggestions of its own. Best first: the changes so far and the faults that are left. `name` is the
/// file's, in the patch.
///
/// Cost     the judge's, at most repair_tries_max times and for repair_bytes_max bytes.
/// Errors   what the judge throws, except for RequestError.
[[nodiscard]] FoundRepair repair_text(const std::string& text, std::string_view name, const JudgeOfText& judge);

}  // namespace kport
