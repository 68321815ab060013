/// @file gather.hpp   All-to-one gather (AOG): the catalogue rows of its own algorithms. The others are scatters reversed in
///                    time (algorithms/reversal.hpp).
#pragma once

#include "algorithms/catalogue.hpp"

namespace kport {

[[nodiscard]] Algorithm gather_direct_all();

}  // namespace kport
