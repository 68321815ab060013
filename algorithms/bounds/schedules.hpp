/// @file schedules.hpp   Known upper bounds: schedules that exist on a machine; and refutations: proofs that none
///                       exists.
///
/// A lower bound may be unreachable. This header has the costs of schedules that are proven to exist but are no rows of
/// the catalogue, or are rows that others build on (trees of broadcasts), and arguments sharper than the stated bounds
/// that prove some of them unreachable.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// The cost of a lawful schedule on this machine; a count is empty if unknown.
struct KnownSchedule {
    std::string name;
    std::optional<Count> rounds;
    std::optional<Count> work;
    std::optional<Count> path_sum;
    std::optional<Count> packets;
};

/// Returns the cost for M packets (segments) each. A machine that combines carries M wherever the schedule carries one;
/// others run the schedule M times: lawful if the schedule is (model.md section 13.1). For M = 1 the schedule itself.
[[nodiscard]] KnownSchedule of_all_packets(KnownSchedule of_one, const Facts& facts);

/// Schedules known on a machine.
using SchedulesOf = std::function<std::vector<KnownSchedule>(const Facts&)>;

/// Returns the schedules of this machine, and those of the machine with combining switched on or off, converted:
/// messages of one packet as they are, bundles one packet a round. So the least volume with combining is the least
/// number of rounds without, and what is known of one is known of the other (model.md section 13.1).
[[nodiscard]] std::vector<KnownSchedule> with_combining_and_without(const Machine& machine,
                                                                    const Collective& collective,
                                                                    const SchedulesOf& known_on);

/// Returns the name of an algorithm for 1-port machines. On a machine with more ports its schedule is lawful, too, but
/// the catalogue does not run it there.
[[nodiscard]] std::string through_one_port(std::string_view algorithm, const Facts& facts);

/// Schedules of one packet each, for broadcast; reversed in time for reduce; bundled along the tree for combining
/// scatter and gather.
[[nodiscard]] std::vector<KnownSchedule> known_broadcasts(const Facts& facts);
/// Scatter and gather, with or without combining.
[[nodiscard]] std::vector<KnownSchedule> known_scatters(const Facts& facts);
[[nodiscard]] std::vector<KnownSchedule> known_allreduces(const Facts& facts);
[[nodiscard]] std::vector<KnownSchedule> known_scans(const Facts& facts);
[[nodiscard]] std::vector<KnownSchedule> known_allgathers(const Facts& facts);
[[nodiscard]] std::vector<KnownSchedule> known_alltoalls(const Facts& facts);
/// Barrier, permutation: only the rows of the catalogue.
[[nodiscard]] std::vector<KnownSchedule> known_besides_catalogue(const Facts& facts);

/// A lower bound sharper than the stated one, and the clause that proves it.
struct Refutation {
    Count least = 0;
    std::string why;
};

/// Returns the refutation for a count that is at least as large as another: "a round has at least one hop, and 9 rounds
/// are needed".
[[nodiscard]] Refutation following(const Refutation& other, std::string_view because, std::string_view singular,
                                   std::string_view plural);

/// Refutes rounds of a broadcast (and of what contains one): exact values for trees, the count of farthest nodes,
/// chains of sends.
[[nodiscard]] std::optional<Refutation> refute_broadcast_rounds(const Facts& facts, Count bound);
/// Refutes a broadcast's path sum: at least the rounds, and above the eccentricity if one port must serve two farthest
/// nodes.
[[nodiscard]] std::optional<Refutation> refute_broadcast_path_sum(const Facts& facts, const Derivation& found);
/// Refutes the volume of a scatter of M packets a node, and its rounds without combining: on a tree a whole branch
/// shares a link.
[[nodiscard]] std::optional<Refutation> refute_scatter_packets(const Facts& facts, Count bound);
/// Refutes work N-1 for a scan (for each segment without combining): each node would receive once, from its
/// predecessor.
[[nodiscard]] std::optional<Refutation> refute_scan_work(const Facts& facts);

}  // namespace kport::bounds
