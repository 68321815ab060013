/// @file alltoall.hpp   All-to-all scatter (AAS, alltoall): the catalogue rows of its algorithms, a file each.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm alltoall_exchange();
[[nodiscard]] Algorithm alltoall_ring();
[[nodiscard]] Algorithm alltoall_ring_bidirectional();
[[nodiscard]] Algorithm alltoall_ring_bidirectional_serial();
[[nodiscard]] Algorithm alltoall_ring_per_dimension();
[[nodiscard]] Algorithm alltoall_pairwise();
[[nodiscard]] Algorithm alltoall_bruck();

}  // namespace kport
