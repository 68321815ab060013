/// @file results.hpp   A second opinion on the results of a reduction: docs/model.md, sections 1 and 6, word for word.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/umpire/umpire.hpp"

namespace kport::umpire {

enum class Operator : std::uint8_t {
    sum,
    minimum,
    maximum,
    exclusive_or,
    concatenation,
    product,
    bits_and,
    bits_or,
    logical_and,
    logical_or,
    logical_exclusive_or
};

/// A reduction, the contribution of each node, and the results of nodes: decimal numbers, or texts.
struct Reduction {
    Operation operation = Operation::allreduce;
    Number source = 0;  ///< the node that is promised the result of a reduce
    Operator op = Operator::sum;
    bool real = false;  ///< numbers are doubles; else 64-bit integers whose sums and products wrap around
    std::vector<std::string> contributions;  ///< by node
    std::map<Number, std::string> results;   ///< by node
};

/// Returns node v's right result: the contributions that the operation promises it, combined in the order of the nodes.
/// Empty if nothing is promised to v, and if the result depends on the bracketing: a sum of doubles that may be
/// rounded, or a product.
///
/// Errors    std::invalid_argument for a number that is none.
[[nodiscard]] std::string right_result(const Reduction& reduction, Number v);

/// Returns the nodes with a wrong result, or without a promised one.
[[nodiscard]] std::set<Number> wrong_results(const Reduction& reduction);

}  // namespace kport::umpire
