/// @file alltoall.hpp   All-to-all scatter (AAS, alltoall): the catalogue rows of its algorithms, a file each.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm alltoall_exchange();

}  // namespace kport
