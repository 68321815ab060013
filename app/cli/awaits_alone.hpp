/// @file awaits_alone.hpp   Finds the forms of co_await that g++ 12.2 miscompiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kport::cli {

/// The text with comments, string and character literals blanked out; every line keeps its number.
[[nodiscard]] std::string code_only(std::string_view text);

/// `co_await` stands alone: as a statement, as the initialiser of a named variable, as the right side of an assignment
/// or of co_return; with names, numbers, spans and calls for arguments. g++ 12.2 miscompiles most other places. One sentence for
/// each of those: "x.cpp:12: co_await ...".
[[nodiscard]] std::vector<std::string> awaits_not_alone(const std::string& file, std::string_view text);

}  // namespace kport::cli
