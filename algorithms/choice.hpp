/// @file choice.hpp   Which algorithm runs when the user names none: the one with the smallest predicted latency.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace KPORT_PUBLIC kport {

/// How a predicted latency was obtained.
enum class Grounds : std::uint8_t {
    derived,    ///< exact: the textbook's counts at the machine's prices
    rehearsed,  ///< exact: measured on the machine, with sizes counted and no bytes moved
    at_most  ///< an upper bound: the machine is too large to rehearse, and no longer path or larger bundle is possible
};

/// The predicted cost of a run.
struct PredictedCost {
    double latency = 0;
    std::uint64_t rounds = 0;
    Grounds grounds = Grounds::derived;
};

/// Returns the latency from derived counts at the machine's prices; nothing where a count with a price is missing, and where
/// links have different prices, since counts do not say which links are used.
[[nodiscard]] std::optional<double> derived_latency(const ExpectedCost& cost, const Machine& machine,
                                                    std::uint64_t packet_bytes);

/// Returns the derived value of each quantity, the volume in bytes; nothing where no formula is known.
[[nodiscard]] PerQuantity<std::optional<double>> derived_costs(const ExpectedCost& cost, const Machine& machine,
                                                               std::uint64_t packet_bytes);

/// Returns the broadcast used in both directions by an allreduce of Way::reduce_broadcast: the one of its name, else
/// the best.
[[nodiscard]] const Algorithm& broadcast_of(const Algorithm& allreduce, const Machine& machine,
                                            const Collective& broadcast);

/// Limits on predicting a latency: counts, not time, so that every computer chooses alike.
struct Effort {
    double plan_bytes = 0;   ///< plan_bytes_of(): a packet that crosses a link takes up to 160
    std::uint64_t hops = 0;  ///< hops of messages of one packet or value in a rehearsal, on machines of any size
    NodeId nodes = NodeId{1} << 14;  ///< of a machine on which other rehearsals are run
};
inline constexpr Effort effort_at_once{64.0 * 1024 * 1024, 0};  ///< a tenth of a second
/// About a second of planning for all candidates, and a tenth of a second for each rehearsal on more nodes.
inline constexpr Effort effort_if_better{512.0 * 1024 * 1024, std::uint64_t{1} << 17};
/// For each of many numbers of ports: some milliseconds.
inline constexpr Effort effort_with_fewer_ports{4.0 * 1024 * 1024, 0, 64};

/// Returns the size of its plan; 0 if nothing is planned.
[[nodiscard]] double plan_bytes_of(const Algorithm& algorithm, const Machine& machine, const Collective& collective);

/// Predicts the cost of a run. Returns nothing where only a run can show it and the machine is too large for a
/// rehearsal. Requires !misfit_of(...).
///
/// Cost      O(1) where it is derived; else at most a table of 2^22 nodes, the run of 2^14, and `effort`.
[[nodiscard]] std::optional<PredictedCost> predicted_cost(const Algorithm& algorithm, const Machine& machine,
                                                          const Collective& collective, const AlgorithmOptions& options,
                                                          const Effort& effort = effort_at_once);

/// An applicable algorithm, as the choice saw it.
struct Candidate {
    const Algorithm* algorithm = nullptr;
    std::optional<Keep> keep;           ///< value chosen; nothing: as the options were
    std::optional<Port> ports_at_most;  ///< fewer than the options allow; nothing: as they do
    /// Nothing where it is unknown, or not needed because `least` shows that the chosen one is no worse.
    std::optional<PredictedCost> predicted;
    double least = 0;  ///< a lower bound on its latency

    /// Returns "rda-product", "rda-product --keep smaller", "sbt --ports-at-most 1".
    [[nodiscard]] std::string name() const;
};

struct Choice {
    const Algorithm* algorithm = nullptr;  ///< null only if every algorithm is left out
    std::optional<Keep> keep;              ///< value chosen; nothing: as the options were
    std::optional<Port> ports_at_most;     ///< value chosen; nothing: as the options were
    bool of_fewest_rounds = false;         ///< of a machine with switches that is too large for a prediction
    /// In catalogue order; of those with fewer ports than asked for only the chosen one, as the last.
    std::vector<Candidate> candidates;

    [[nodiscard]] bool takes(const Candidate& candidate) const {
        return candidate.algorithm == algorithm && candidate.keep == keep && candidate.ports_at_most == ports_at_most;
    }

    /// Returns those of the run: the given ones, and what was chosen.
    [[nodiscard]] AlgorithmOptions options(AlgorithmOptions given) const;
    /// Returns why it was chosen: "smallest predicted latency, 27.12 (derived), of 4 algorithms; next direct, 63.06".
    [[nodiscard]] std::string reason() const;
    /// Returns "27.12 (derived)", "63.06 or more".
    [[nodiscard]] static std::string told(const Candidate& candidate);
};

/// A node through which the algorithm is predicted to cost less than through the collective's root, and both costs,
/// where the root has no effect on the result. Nothing where none is known, and for algorithms without a root.
struct BetterRoot {
    NodeId root = 0;
    double latency = 0;
    double latency_now = 0;
};
[[nodiscard]] std::optional<BetterRoot> better_root(const Algorithm& algorithm, const Machine& machine,
                                                    const Collective& collective, const AlgorithmOptions& options);

/// The numbers of ports below the machine's with which choose() tries every algorithm, too, the largest first: all up to 16,
/// then powers of two.
[[nodiscard]] std::vector<Port> fewer_ports(const Machine& machine);

/// Returns the algorithm with the smallest predicted latency at the machine's prices; among equals the one with fewer
/// rounds, then with more ports, then the earlier in the catalogue. Algorithms may use fewer ports than the machine has
/// (fewer_ports()), so more ports are never worse. Those that search (Algorithm::slow) it looks at last, and only where all others
/// take more rounds than are known to be needed. Those that exceed effort_at_once are predicted last, the most
/// promising first, as long as one may be better than the best and stays within effort_if_better; those with fewer
/// ports stay within effort_with_fewer_ports. Throws RequestError if no algorithm of the operation can run as asked.
///
/// keep_is_free   an algorithm that splits may keep either part, unless the options fix it.
/// left_out       algorithms that are not considered. If these are all that apply, the choice has no algorithm.
[[nodiscard]] Choice choose(const Machine& machine, const Collective& collective, const AlgorithmOptions& options,
                            bool keep_is_free = false, std::span<const Algorithm* const> left_out = {});
/// Returns the best of those that use all ports given.
[[nodiscard]] const Algorithm& best_algorithm(const Machine& machine, const Collective& collective,
                                              const AlgorithmOptions& options);

}  // namespace kport
