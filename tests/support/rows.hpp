/// @file rows.hpp   Rows of the catalogue that tests over all of them leave out.
#pragma once

#include "algorithms/catalogue.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::test {

/// Whether a row runs only where options name groups of nodes (tests/requests/members_test.cpp, the rows of the oracle).
inline bool needs_groups(const Algorithm& row) { return has_word(row.takes, "groups"); }

}  // namespace kport::test
