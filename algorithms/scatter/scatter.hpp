/// @file scatter.hpp   One-to-all scatter (OAS): the catalogue rows of its algorithms, a file each. Gather is their time
///                     reversal (algorithms/reversal.hpp).
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm scatter_sbt();

}  // namespace kport
