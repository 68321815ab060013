#include "algorithms/bounds/arguments.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>

namespace kport::bounds {
namespace {

Reason spread(const Facts& facts, std::string_view direction, std::string_view why) {
    const std::uint64_t base = facts.ports + 1;
    return {.name = fmt::format("{}: ceil(log{} {})", direction, base, facts.nodes),
            .value = ceil_log(base, facts.nodes),
            .why = fmt::format("{} grows at most {}-fold, and all {} nodes take part.", why, base, facts.nodes),
            .source = "Lemma 1"};
}

std::string far_apart(const Facts& facts) {
    return fmt::format("the two nodes farthest apart are {} away from each other",
                       counted(facts.diameter(), "link", "links"));
}

std::string far_from_root(const Facts& facts) {
    return fmt::format("the node farthest from node {} is {} away", facts.node(facts.root),
                       counted(facts.eccentricity, "link", "links"));
}

constexpr std::string_view a_link_a_round = "A message crosses one link a round, and ";
constexpr std::string_view a_path_a_round =
    "travels in one message at a time, each no longer than the longest path of its round, and ";

/// Returns the distance d > 1 whose packets (those for nodes at distance d or more from v) give the largest bound;
/// nothing if all packets give at least as much.
std::vector<Reason> distant_data(const Facts& facts, NodeId v, std::uint64_t ports, Count least) {
    if (ports == 1) return {};  // every nearer level has a node, so d = 1 gives the largest: N-1
    const auto far = far_nodes(facts.graph, v);
    if (!far) return {};
    std::size_t best = 1;
    for (std::size_t d = 2; d < far->size(); ++d) {
        const Count needed = (d - 1) + ceil_div(facts.packets_each * Count{(*far)[d]}, ports);
        if (needed > least) {
            least = needed;
            best = d;
        }
    }
    if (best == 1) return {};
    const Count distant = facts.packets_each * Count{(*far)[best]};
    return {
        {.name = fmt::format("{} + ceil({} / {}): packets at distance >= {}", best - 1, distant, ports, best),
         .value = least,
         .why = fmt::format("{} must pass the {} of node {}, one largest bundle a port and round, and {} more, each "
                            "with at least one packet, lie between there and their other end.",
                            counted(distant, "packet", "packets"), counted(ports, "port", "ports"), v,
                            counted(best - 1, "round", "rounds")),
         .source = "Lemma 7, sharpened by the distance profile"}};
}

}  // namespace

std::string counted(Count n, std::string_view singular, std::string_view plural) {
    return fmt::format("{} {}", n, n == 1 ? singular : plural);
}

std::string times_each(const Facts& facts) {
    return facts.packets_each == 1 ? std::string() : fmt::format("{} * ", facts.packets_each);
}

namespace {

/// Returns the rounds in which one node's information can reach all: in a round each node that has it hands it to as many as its
/// limit allows, at best those with the highest limits first.
Count rounds_of_growth(const Facts& facts, NodeId start, Port (Machine::*limit)(NodeId) const) {
    std::vector<Count> others;
    for (NodeId v = 0; v < facts.nodes; ++v)
        if (v != start) others.push_back((facts.machine.*limit)(v));
    std::ranges::sort(others, std::ranges::greater());
    Count rounds = 0;
    std::uint64_t reached = 1;
    Count a_round = (facts.machine.*limit)(start);
    for (; reached < facts.nodes && a_round > 0; ++rounds) {
        const auto now = static_cast<std::uint64_t>(std::min<Count>(facts.nodes, reached + a_round));
        for (std::uint64_t i = reached; i < now; ++i) a_round += others[i - 1];
        reached = now;
    }
    return rounds;
}

/// Whether limits and degrees of the nodes are looked at: machines with one limit have the formula of the textbooks.
bool counts_by_node(const Facts& facts) {
    return facts.machine.node_ports != nullptr || (!facts.is_even() && facts.nodes <= searched_nodes_max);
}

/// fan_out() and fan_in() where nodes have limits of their own, or send and receive different numbers of messages.
Reason growth(const Facts& facts) {
    Count rounds = 0;
    const auto try_from = [&](NodeId start, Port (Machine::*limit)(NodeId) const) {
        rounds = std::max(rounds, rounds_of_growth(facts, start, limit));
    };
    if (facts.operation.rooted()) {
        try_from(facts.root, facts.inwards() ? &Machine::receives_of : &Machine::sends_of);
    } else {
        for (const auto limit : {&Machine::sends_of, &Machine::receives_of}) {
            NodeId least = 0;
            for (NodeId v = 1; v < facts.nodes; ++v)
                if ((facts.machine.*limit)(v) < (facts.machine.*limit)(least)) least = v;
            if (!facts.scans()) try_from(least, limit);
        }
        if (facts.scans()) {  // all depend on the first node, and the last one on all
            try_from(0, &Machine::sends_of);
            try_from(facts.nodes - 1, &Machine::receives_of);
        }
    }
    return {.name = fmt::format("growth by the limits of the nodes: {}", counted(rounds, "round", "rounds")),
            .value = rounds,
            .why =
                "In a round each node that takes part adds at most as many others as its limit allows, at best those "
                "with the highest limits first.",
            .source = "model section 2"};
}

}  // namespace

Reason fan_out(const Facts& facts) {
    if (counts_by_node(facts)) return growth(facts);
    return spread(facts, "fan-out", "In a round the number of informed nodes");
}

Reason fan_in(const Facts& facts) {
    if (counts_by_node(facts)) return growth(facts);
    return spread(facts, "fan-in", "Going back a round, the number of nodes that can still reach the root in time");
}

std::vector<Reason> odd_one_out(const Facts& facts) {
    if (!facts.machine.pairwise || facts.nodes % 2 == 0 || facts.nodes == 1) return {};
    return {{.name = fmt::format("one partner, odd N: ceil(log2 {}) + 1", facts.nodes),
             .value = ceil_log(2, facts.nodes) + 1,
             .why = fmt::format(
                 "In the first round one of {} nodes has no partner; after it what it knows at most doubles in a "
                 "round.",
                 facts.nodes),
             .source = "Knoedel 1975"}};
}

Reason eccentricity_in_rounds(const Facts& facts) {
    return {fmt::format("eccentricity of node {}", facts.node(facts.root)), facts.eccentricity,
            fmt::format("{}{}.", a_link_a_round, far_from_root(facts)), "Lemma 1"};
}

Reason eccentricity_in_hops(const Facts& facts) {
    return {fmt::format("eccentricity of node {}", facts.node(facts.root)), facts.eccentricity,
            fmt::format("A packet {} the farthest node {}{}.", facts.inwards() ? "from" : "for", a_path_a_round,
                        far_from_root(facts)),
            "Lemma 1"};
}

Reason diameter_in_rounds(const Facts& facts) {
    return {"diameter", facts.diameter(), fmt::format("{}{}.", a_link_a_round, far_apart(facts)), "Lemma 1"};
}

Reason diameter_in_hops(const Facts& facts) {
    return {"diameter", facts.diameter(),
            fmt::format("A packet of one node for another {}{}.", a_path_a_round, far_apart(facts)), "Lemma 1"};
}

std::vector<Reason> data_through_ports(const Facts& facts, NodeId v) {
    const std::uint64_t ports = facts.data_ports_of(v);
    const Count others = Count{facts.packets_each} * (facts.nodes - 1);
    const std::string through = counted(ports, "port", "ports");
    const std::string the_ports = ports == 1 ? "one port" : through;
    std::vector<Reason> reasons = {
        {.name = fmt::format("{} through {} of node {}", counted(others, "packet", "packets"), through, facts.node(v)),
         .value = ceil_div(others, ports),
         .why = fmt::format("{} must pass the {} of node {}, and in a round each port passes at most the round's "
                            "largest bundle.",
                            counted(others, "packet", "packets"), the_ports, facts.node(v)),
         .source = "Lemma 7"}};
    if (!facts.store_and_forward) return reasons;
    for (Reason& reason : distant_data(facts, v, ports, reasons.front().value)) reasons.push_back(std::move(reason));
    return reasons;
}

Reason heard_and_hears(const Facts& facts) {
    return {
        fmt::format("collect, then distribute: 2 * {}", facts.nodes - 1), 2 * (Count{facts.nodes} - 1),
        "Before one node depends on all others, each of the others has sent a message; after that each of them must "
        "still receive one.",
        "one-way gossip; Harary, Schwenk 1974"};
}

void add_packet_a_round(Derivation& found) {
    const Count rounds = found.rounds.value();
    const bool from_volume = !found.bundles && rounds == found.packets.value();
    if (from_volume && !found.packets.empty()) return;
    found.packets.add({"one packet a round", rounds,
                       fmt::format("Every round moves at least one packet, and there are at least {}.",
                                   counted(rounds, "round", "rounds")),
                       "definition of a round"});
}

Reason one_hop_a_round(const Arguments& rounds) {
    return {"one hop a round", rounds.value(),
            fmt::format("The longest path of a round has at least one hop, and there are at least {}.",
                        counted(rounds.value(), "round", "rounds")),
            "definition of a round"};
}

std::vector<Reason> one_packet_a_message(const Arguments& packets) {
    std::vector<Reason> reasons = packets.reasons();
    for (Reason& reason : reasons) reason.why += " Without combining a message holds one packet.";
    return reasons;
}

}  // namespace kport::bounds
