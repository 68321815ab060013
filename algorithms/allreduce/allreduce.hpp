/// @file allreduce.hpp   All-reduce: the catalogue rows of its algorithms, a file each.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm allreduce_exchange();
[[nodiscard]] Algorithm allreduce_by_reduce_and_broadcast();

}  // namespace kport
