/// @file choice.hpp   Which algorithm runs when the user names none: the one with the smallest predicted latency.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace KPORT_PUBLIC kport {

/// How a predicted latency is known.
enum class Grounds : std::uint8_t {
    derived,    ///< exact: the textbook's counts at the machine's prices
    rehearsed,  ///< exact: measured on the machine, with sizes counted and no bytes moved
    at_most  ///< an upper bound: the machine is too large to rehearse, and no longer path or larger bundle is possible
};

/// What a run of an algorithm will cost.
struct PredictedCost {
    double latency = 0;
    std::uint64_t rounds = 0;
    Grounds grounds = Grounds::derived;
};

/// The latency that derived counts give at the machine's prices; nothing where a count with a price is missing.
[[nodiscard]] std::optional<double> derived_latency(const ExpectedCost& cost, const Costs& costs,
                                                    std::uint64_t packet_bytes);

/// What is derived of each quantity, the volume in bytes; nothing where the textbook is silent.
[[nodiscard]] PerQuantity<std::optional<double>> derived_costs(const ExpectedCost& cost, const Costs& costs,
                                                               std::uint64_t packet_bytes);

/// The broadcast that an allreduce of Way::reduce_broadcast goes there and back by: the one of its name, else the best.
[[nodiscard]] const Algorithm& broadcast_of(const Algorithm& allreduce, const Machine& machine,
                                            const Collective& broadcast);

/// What may be done to predict a latency: counts and no time, so that every computer chooses alike.
struct Effort {
    double plan_bytes = 0;   ///< plan_bytes_of(): a packet that crosses a link takes up to 160
    std::uint64_t hops = 0;  ///< that messages of one packet or value cross in a rehearsal, on machines of any size
};
inline constexpr Effort effort_at_once{64.0 * 1024 * 1024, 0};  ///< a tenth of a second
/// About a second of planning, of all in one choice, and a tenth of a second for each rehearsal of more nodes.
inline constexpr Effort effort_if_better{512.0 * 1024 * 1024, std::uint64_t{1} << 17};

/// Of its plan; 0 where nothing is planned.
[[nodiscard]] double plan_bytes_of(const Algorithm& algorithm, const Machine& machine, const Collective& collective);

/// Nothing where only a run can tell and the machine is too large for a rehearsal. Requires !misfit_of(...).
///
/// Cost      O(1) where it is derived; else at most a table of 2^22 nodes, the run of 2^14, and `effort`.
[[nodiscard]] std::optional<PredictedCost> predicted_cost(const Algorithm& algorithm, const Machine& machine,
                                                          const Collective& collective, const AlgorithmOptions& options,
                                                          const Effort& effort = effort_at_once);

/// An algorithm that applies, as the choice looked at it.
struct Candidate {
    const Algorithm* algorithm = nullptr;
    std::optional<Keep> keep;  ///< set to this; nothing: as the options were
    /// Nothing where it cannot be told, or need not: `least` alone says that the chosen one is no worse.
    std::optional<PredictedCost> predicted;
    double least = 0;  ///< a lower bound on its latency

    /// "rda-product", "rda-product --keep smaller".
    [[nodiscard]] std::string name() const;
};

struct Choice {
    const Algorithm* algorithm = nullptr;  ///< never null
    std::optional<Keep> keep;              ///< what it is to keep; nothing: as the options were
    std::vector<Candidate> candidates;     ///< in catalogue order

    /// Why it was chosen: "smallest predicted latency, 27.12 (derived), of 4 algorithms; next direct, 63.06".
    [[nodiscard]] std::string reason() const;
    /// "27.12 (derived)", "63.06 or more".
    [[nodiscard]] static std::string told(const Candidate& candidate);
};

/// Where the root makes no difference to the result: a node through which the algorithm is predicted to cost less than
/// through the collective's root, and how much each costs. Nothing where none is known, and for algorithms without a root.
struct BetterRoot {
    NodeId root = 0;
    double latency = 0;
    double latency_now = 0;
};
[[nodiscard]] std::optional<BetterRoot> better_root(const Algorithm& algorithm, const Machine& machine,
                                                    const Collective& collective, const AlgorithmOptions& options);

/// The algorithm with the smallest predicted latency at the machine's prices; among equals the one with fewer rounds, then
/// the earlier in the catalogue. Those that take more than effort_at_once come last, the one that may be the best first, as
/// long as one may be better than the best and takes no more than effort_if_better. Throws RequestError if no algorithm of the
/// operation can run as asked.
///
/// keep_is_free   an algorithm that splits may also keep the other part, if the options leave that open.
/// left_out       these are not looked at.
[[nodiscard]] Choice choose(const Machine& machine, const Collective& collective, const AlgorithmOptions& options,
                            bool keep_is_free = false, std::span<const Algorithm* const> left_out = {});
[[nodiscard]] const Algorithm& best_algorithm(const Machine& machine, const Collective& collective,
                                              const AlgorithmOptions& options);

}  // namespace kport
