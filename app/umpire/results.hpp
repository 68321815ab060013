/// @file results.hpp   A second opinion on the results of a reduction: docs/model.md, sections 1 and 6, word for word.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/umpire/umpire.hpp"

namespace kport::umpire {

enum class Operator : std::uint8_t { sum, minimum, maximum, exclusive_or, concatenation };

/// A reduction, what each node contributes, and what nodes gave as their results: numbers in decimals, or texts.
struct Reduction {
    Operation operation = Operation::allreduce;
    Number source = 0;  ///< who is promised the result of a reduce
    Operator op = Operator::sum;
    bool real = false;                       ///< numbers are doubles; else integers of 64 bits, whose sums wrap around
    std::vector<std::string> contributions;  ///< by node
    std::map<Number, std::string> results;   ///< by node
};

/// What node v's result must be: the contributions that the operation promises it, folded in the order of the nodes. Empty
/// where nothing is promised to v, and where the order of the brackets decides: a sum of doubles that may be rounded.
///
/// Errors    std::invalid_argument for a number that is none.
[[nodiscard]] std::string right_result(const Reduction& reduction, Number v);

/// The nodes that gave another result than theirs, or none where one is promised.
[[nodiscard]] std::set<Number> wrong_results(const Reduction& reduction);

}  // namespace kport::umpire
