/// @file allgather.hpp   All-to-all broadcast (AAB, allgather): the catalogue rows of its algorithms, a file each.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm allgather_exchange();

}  // namespace kport
