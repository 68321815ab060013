/// @file derive.hpp   The lower bounds of each operation, from the shared arguments and its own. N >= 2 throughout.
#pragma once

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// Broadcast and, reversed in time, reduce (Lemma 1).
[[nodiscard]] Derivation derive_broadcast(const Facts& facts);
/// Scatter and, reversed in time, gather (Lemma 7, with its noncombining form).
[[nodiscard]] Derivation derive_scatter(const Facts& facts);
/// Allreduce and scan: every contribution must reach other nodes, and messages have constant size.
[[nodiscard]] Derivation derive_allreduce(const Facts& facts);
[[nodiscard]] Derivation derive_scan(const Facts& facts);
/// All-to-all broadcast and all-to-all personalized exchange.
[[nodiscard]] Derivation derive_allgather(const Facts& facts);
[[nodiscard]] Derivation derive_alltoall(const Facts& facts);
[[nodiscard]] Derivation derive_barrier(const Facts& facts);
[[nodiscard]] Derivation derive_permutation(const Facts& facts);

}  // namespace kport::bounds
