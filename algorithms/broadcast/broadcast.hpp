/// @file broadcast.hpp   One-to-all broadcast (OAB): the catalogue rows of its algorithms, a file each.
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm broadcast_sbt();
[[nodiscard]] Algorithm broadcast_rda();
[[nodiscard]] Algorithm broadcast_dost();
[[nodiscard]] Algorithm broadcast_dost_nearest_first();
[[nodiscard]] Algorithm broadcast_rda_product();
[[nodiscard]] Algorithm broadcast_u_mesh();
[[nodiscard]] Algorithm broadcast_controlled_flooding();
[[nodiscard]] Algorithm broadcast_farthest_first();
[[nodiscard]] Algorithm broadcast_euler_rda();
[[nodiscard]] Algorithm broadcast_flooding();

}  // namespace kport
