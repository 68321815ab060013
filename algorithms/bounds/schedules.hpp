/// @file schedules.hpp   Known upper bounds: schedules that exist on a machine; and refutations: proofs that none exists.
///
/// A lower bound need not be reachable. This header has the costs of schedules whose existence is proven and that are no rows
/// of the catalogue, or rows that others build on (trees of broadcasts), and arguments sharper than the stated bounds that prove some of them unreachable.
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

/// The same for M packets (segments) of each. A machine that combines carries M wherever the schedule carries one, others run it M
/// times over: lawful where the schedule is (model.md section 13.1). One packet: the schedule itself.
[[nodiscard]] KnownSchedule of_all_packets(KnownSchedule of_one, const Facts& facts);

/// Schedules that are known on a machine.
using SchedulesOf = std::function<std::vector<KnownSchedule>(const Facts&)>;

/// Those of this machine, then those of the same machine with combining, if it has none, or without, as they run on this one: messages
/// of one packet as they are, bundles one packet a round. So the least volume with combining is the least number of rounds
/// without, and what is known of one is known of the other (model.md section 13.1).
[[nodiscard]] std::vector<KnownSchedule> with_combining_and_without(const Machine& machine,
                                                                    const Collective& collective,
                                                                    const SchedulesOf& known_on);

/// The name of an algorithm for 1-port machines: on a machine of more ports its schedule is lawful too, but the catalogue
/// does not run it there.
[[nodiscard]] std::string through_one_port(std::string_view algorithm, const Facts& facts);

/// Schedules of one packet of each. Of broadcast; reversed in time they serve reduce, and bundled along the tree combining scatter and gather.
[[nodiscard]] std::vector<KnownSchedule> known_broadcasts(const Facts& facts);
/// Scatter and gather, with combining or without.
[[nodiscard]] std::vector<KnownSchedule> known_scatters(const Facts& facts);
[[nodiscard]] std::vector<KnownSchedule> known_allreduces(const Facts& facts);
[[nodiscard]] std::vector<KnownSchedule> known_scans(const Facts& facts);
[[nodiscard]] std::vector<KnownSchedule> known_allgathers(const Facts& facts);
[[nodiscard]] std::vector<KnownSchedule> known_alltoalls(const Facts& facts);
/// Barrier, permutation: none but the rows of the catalogue.
[[nodiscard]] std::vector<KnownSchedule> known_besides_catalogue(const Facts& facts);

/// A lower bound sharper than the stated one, and the clause that proves it.
struct Refutation {
    Count least = 0;
    std::string why;
};

/// That of a count which is at least as large as another: "a round has at least one hop, and 9 rounds are needed".
[[nodiscard]] Refutation following(const Refutation& other, std::string_view because, std::string_view singular,
                                   std::string_view plural);

/// Rounds of a broadcast (and of what contains one): exact values of trees, the count of farthest nodes, and chains of sends.
[[nodiscard]] std::optional<Refutation> refute_broadcast_rounds(const Facts& facts, Count bound);
/// Path sum of a broadcast: at least the rounds, and more than the eccentricity if one port must serve two farthest nodes.
[[nodiscard]] std::optional<Refutation> refute_broadcast_path_sum(const Facts& facts, const Derivation& found);
/// Volume of a scatter of M packets a node, and its rounds without combining: on a tree a whole branch shares one link.
[[nodiscard]] std::optional<Refutation> refute_scatter_packets(const Facts& facts, Count bound);
/// Work N-1 of a scan, of each segment by itself without combining: each node receives once, from its predecessor.
[[nodiscard]] std::optional<Refutation> refute_scan_work(const Facts& facts);

}  // namespace kport::bounds
