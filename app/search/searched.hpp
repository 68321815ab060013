/// @file searched.hpp   The algorithm `searched`: the best schedule that a short search finds.
#pragma once

namespace kport::search {

/// Adds `searched` to the catalogue, for every operation that is searched for. A run without --algorithm tries it last, on small
/// machines where the others take more rounds than the bound. Call once a process.
void know_searched();

}  // namespace kport::search
