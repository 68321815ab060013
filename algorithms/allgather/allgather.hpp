/// @file allgather.hpp   All-to-all broadcast (AAB, allgather): the catalogue rows of its algorithms, a file each.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm allgather_exchange();
[[nodiscard]] Algorithm allgather_ring();
[[nodiscard]] Algorithm allgather_ring_bidirectional();
[[nodiscard]] Algorithm allgather_ring_per_dimension();
[[nodiscard]] Algorithm allgather_line_per_dimension();
[[nodiscard]] Algorithm allgather_bruck();

}  // namespace kport
