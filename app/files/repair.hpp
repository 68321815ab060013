/// @file repair.hpp   Repairs small faults of a schedule's text: tries edits suggested by its judge until it finds no
///                    fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/report/judgement.hpp"

namespace kport {

/// The judge's result for a text.
struct JudgedText {
    bool lawful = false;
    std::vector<FoundFault> faults = {};
    std::uint64_t other_faults = 0;  ///< faults without a suggestion
};
/// Throws RequestError for a text that is refused.
using JudgeOfText = std::function<JudgedText(const std::string& text)>;

/// Limits of the search.
inline constexpr std::size_t repair_changes_max = 8;
inline constexpr std::size_t repair_tries_max = 512;
inline constexpr std::uint64_t repair_bytes_max = std::uint64_t{64} << 20;  ///< total bytes of judged texts

struct FoundRepair {
    std::vector<std::string> changes = {};  ///< in words; empty: no repair was found
    std::string patch = {};                 ///< a unified diff, as accepted by patch
    bool searched_all = true;               ///< false: the search hit its limit
};

/// Searches for few of the suggested changes after which the text is lawful: the changed text was judged, and no change
/// can be left out. Each change may bring new suggestions. Best first, by changes so far and faults left. `name` is the
/// file's, in the patch.
///
/// Cost     the judge's, at most repair_tries_max times and for repair_bytes_max bytes.
/// Errors   exceptions of the judge except RequestError.
[[nodiscard]] FoundRepair repair_text(const std::string& text, std::string_view name, const JudgeOfText& judge);

}  // namespace kport
