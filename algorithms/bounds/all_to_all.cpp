#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/cuts.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {
namespace {

/// The arguments on rounds that hold with combining and without.
void add_spread_and_distance(const Facts& facts, Derivation& found) {
    found.rounds.add(fan_out(facts));
    found.rounds.add(odd_one_out(facts));
    if (facts.store_and_forward) found.rounds.add(diameter_in_rounds(facts));
}

/// Adds rounds, path sum, and the volume that follows from rounds. The other arguments on volume must have been added.
void complete_derivation(const Facts& facts, Derivation& found) {
    found.bundles = facts.machine.combining;
    if (!facts.machine.combining) found.rounds.add(one_packet_a_message(found.packets));
    add_spread_and_distance(facts, found);
    add_packet_a_round(found);
    found.path_sum.add(diameter_in_hops(facts));
    found.path_sum.add(one_hop_a_round(found.rounds));
}

/// Returns the argument that compares the total distance with the most that a round can carry: as many packets as the
/// largest bundle.
Reason traffic_through(Count distances, Count capacity, std::string_view what) {
    return {fmt::format("ceil({} / {}): distances of all pairs over {}", distances, capacity, what),
            ceil_div(distances, capacity),
            fmt::format("The packets cross {} links in total, and a round offers at most {} {}, each for at most its "
                        "largest bundle.",
                        distances, capacity, what),
            "total traffic; Kumar et al., section 4.5"};
}

/// With two limits of ports what all nodes take together passes the lower one.
Reason copies_over_ports(const Facts& facts) {
    const Count copies = Count{facts.packets_each} * facts.nodes * (facts.nodes - 1);
    const Count ports = ports_of_all(facts);
    return {
        fmt::format("ceil({} / {}): copies over the ports of all", copies, ports), ceil_div(copies, ports),
        fmt::format("Each of the {} nodes needs a copy of {}, and a round has at most {} messages, each of at most its "
                    "largest bundle.",
                    facts.nodes, counted(Count{facts.packets_each} * (facts.nodes - 1), "packet", "packets"), ports),
        "model section 2"};
}

Reason every_pair_alone(const Facts& facts, const std::optional<Count>& distances) {
    if (distances)
        return {times_each(facts) + "sum of the distances of all pairs", *distances,
                "Without combining every packet travels in messages of its own, over at least the distance.",
                "total traffic; Dimakopoulos, Dimopoulos 1998"};
    return {times_each(facts) + "one hop for every pair", facts.packets_each * Count{facts.nodes} * (facts.nodes - 1),
            "Without combining every packet travels in messages of its own.", "counting packets"};
}

void add_traffic(const Facts& facts, const std::optional<Count>& distances, Derivation& found) {
    found.packets.add(bisection(facts));
    found.packets.add(alltoall_through_narrow_places(facts));
    if (!distances) return;
    if (facts.store_and_forward) found.packets.add(traffic_through(*distances, ports_of_all(facts), "sends"));
    found.packets.add(traffic_through(*distances, facts.graph.channels(), "channels"));
}

}  // namespace

Derivation derive_allgather(const Facts& facts) {
    Derivation found;
    found.packets.add(data_through_ports(facts, narrowest_node(facts)));
    found.packets.add(allgather_through_narrow_places(facts));
    if (!facts.is_even()) found.packets.add(copies_over_ports(facts));
    complete_derivation(facts, found);
    if (facts.machine.combining)
        found.work.add(heard_and_hears(facts));
    else
        found.work.add({facts.operation.folds() ? "every node's value of every other block"
                                                : "every packet once at every other node",
                        facts.packets_each * Count{facts.nodes} * (facts.nodes - 1),
                        facts.operation.folds()
                            ? "Every segment takes a value from every node but one, in a message of its own."
                            : "Every node receives every other node's packet in a message of its own.",
                        "counting packets"});
    return found;
}

Derivation derive_alltoall(const Facts& facts) {
    Derivation found;
    std::optional<Count> distances = distances_over_pairs(facts);
    if (distances) *distances *= facts.packets_each;
    found.packets.add(data_through_ports(facts, narrowest_node(facts)));
    add_traffic(facts, distances, found);
    complete_derivation(facts, found);
    if (facts.machine.combining) {
        found.work.add(heard_and_hears(facts));
        return found;
    }
    found.work.add(every_pair_alone(facts, distances));
    // Path sum: a round's paths together are no longer than its sends times the longest of them.
    if (distances)
        found.path_sum.add(
            {fmt::format("ceil({} / {}): distances of all pairs over sends", *distances, ports_of_all(facts)),
             ceil_div(*distances, ports_of_all(facts)),
             "The paths of a round add up to at most its number of sends times the longest path.", "total traffic"});
    return found;
}

/// Every node hears of every other; signals have no bytes (model.md section 2).
Derivation derive_barrier(const Facts& facts) {
    Derivation found;
    found.rounds.add(fan_out(facts));
    if (facts.store_and_forward) found.rounds.add(diameter_in_rounds(facts));
    found.path_sum.add(diameter_in_hops(facts));
    found.path_sum.add(one_hop_a_round(found.rounds));
    found.packets.add({"signals have no bytes", 0, "A signal is a message without bytes.", "definition of a signal"});
    found.work.add(heard_and_hears(facts));
    return found;
}

}  // namespace kport::bounds
