/// @file scatter.hpp   One-to-all scatter (OAS): the catalogue rows of its algorithms, a file each. Gathers are their time
///                     reversals (algorithms/reversal.hpp), but for those of algorithms/gather.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm scatter_sbt();
[[nodiscard]] Algorithm scatter_rda();
[[nodiscard]] Algorithm scatter_rda_product();
[[nodiscard]] Algorithm scatter_hypercube_mapped();
[[nodiscard]] Algorithm scatter_euler_rda();
[[nodiscard]] Algorithm scatter_direct();
[[nodiscard]] Algorithm scatter_pipeline();
[[nodiscard]] Algorithm scatter_dost();

}  // namespace kport
