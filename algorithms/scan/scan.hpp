/// @file scan.hpp   Prefix sums (scan): the catalogue rows of its algorithms, a file each.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm scan_exchange();

}  // namespace kport
