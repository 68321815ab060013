#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {
namespace {

constexpr NodeId members_joined_max = NodeId{1} << 12;

/// Returns the links between two nodes, or hosts of a fabric.
Hops links_between(const Facts& facts, NodeId v, NodeId w) { return facts.graph.wires().distance(v, w); }

/// Returns the length of a shortest tree whose edges join two of the nodes by a shortest path. Prim's algorithm, O(nodes^2).
Hops spanning_tree_of(const Facts& facts, const std::vector<NodeId>& nodes) {
    std::vector<Hops> far(nodes.size());
    for (std::size_t i = 1; i < nodes.size(); ++i) far[i] = links_between(facts, nodes[0], nodes[i]);
    std::vector<bool> is_in(nodes.size(), false);
    is_in[0] = true;
    Hops length = 0;
    for (std::size_t count = 1; count < nodes.size(); ++count) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (!is_in[i] && (next == 0 || far[i] < far[next])) next = i;
        is_in[next] = true;
        length += far[next];
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (!is_in[i]) far[i] = std::min(far[i], links_between(facts, nodes[next], nodes[i]));
    }
    return length;
}

/// Whether one packet, or value, joins all members.
bool is_of_one_root(const Operation& operation) {
    return operation == Operation::broadcast || operation == Operation::reduce;
}

/// Each member's contribution must reach all others: values, or signals.
Derivation derive_exchange_of_members(const Facts& facts) {
    const std::vector<NodeId>& members = facts.members->nodes();
    const Count others = Count{members.size()} - 1;
    const std::uint64_t base = std::max<std::uint64_t>(1, facts.ports) + 1;
    Hops farthest = 0;
    const bool looks = members.size() <= members_joined_max;
    for (std::size_t i = 0; looks && i < members.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            farthest = std::max(farthest, facts.store_and_forward ? facts.graph.distance(members[i], members[j]) : 1);
    Derivation found;
    found.rounds.add({fmt::format("fan-out: ceil(log{} {})", base, members.size()), ceil_log(base, members.size()),
                      fmt::format("All members depend on each of them, and in a round the nodes that do grow at most "
                                  "{}-fold.",
                                  base),
                      "Lemma 1"});
    const Reason far{fmt::format("distance of the farthest members: {}", farthest), farthest,
                     "Each member's contribution must reach every other.", "Lemma 1"};
    found.rounds.add(far);
    if (!facts.operation.signals()) add_packet_a_round(found);
    found.work.add({fmt::format("collect, then distribute: 2 * {}", others), 2 * others,
                    "Before one member knows of all each of the others has sent a message towards it; after that each "
                    "of the others must still receive the one that makes it complete.",
                    "one-way gossip; Harary, Schwenk 1974"});
    found.path_sum.add(far);
    found.path_sum.add(one_hop_a_round(found.rounds));
    return found;
}

}  // namespace

Reason steiner_work(const Facts& facts, const std::vector<NodeId>& nodes) {
    if (nodes.size() < 2 || nodes.size() > members_joined_max) return {};
    const Hops tree = spanning_tree_of(facts, nodes);
    const Count least = ceil_div(Count{nodes.size()} * tree, 2 * (Count{nodes.size()} - 1));
    return {fmt::format("Steiner: spanning tree of {} over {} members", tree, nodes.size()), least,
            "The links of all messages join the members. A walk round the least such tree, without the longest of its "
            "legs, is a spanning tree of their distances.",
            "Kou, Markowsky, Berman 1981"};
}

Reason tree_of_hosts(const Facts& facts) {
    std::vector<NodeId> hosts(facts.nodes);
    std::iota(hosts.begin(), hosts.end(), NodeId{0});
    return {"minimum spanning tree of the hosts", spanning_tree_of(facts, hosts),
            "The messages that first reach the hosts join them all, each over at least the links between its ends.",
            "derived for kport (docs/model.md, machines with switches)"};
}

bool knows_members(const Operation& operation) {
    return is_of_one_root(operation) || operation == Operation::allreduce || operation.signals() ||
           operation->counted_for == CountedFor::nodes;
}

namespace {

/// What all members want has messages that join them.
Derivation derive_counts_of_members(const Facts& facts) {
    Derivation found = derive_counts(facts);
    const bool is_for_all = is_of_one_root(facts.operation) || facts.operation == Operation::allgather ||
                            facts.operation == Operation::reduce_scatter;
    if (is_for_all && facts.counts->total() > 0) found.work.add(steiner_work(facts, facts.members->nodes()));
    return found;
}

}  // namespace

Derivation derive_members(const Facts& facts) {
    if (facts.operation == Operation::allreduce || facts.operation.signals()) return derive_exchange_of_members(facts);
    if (facts.counts != nullptr) return derive_counts_of_members(facts);
    const auto m = static_cast<std::uint32_t>(facts.packets_each);
    std::vector<std::uint32_t> numbers(facts.nodes);
    for (const NodeId v : facts.members->nodes())
        if (!is_of_one_root(facts.operation) || v == facts.root) numbers[v] = m;
    Facts counted = facts;
    counted.counts = std::make_shared<const Counts>(std::move(numbers), facts.nodes, CountedFor::nodes);
    return derive_counts_of_members(counted);
}

}  // namespace kport::bounds
