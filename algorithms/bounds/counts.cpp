#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/traffic.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::bounds {
namespace {

constexpr NodeId pairs_looked_at_max = NodeId{1} << 20;

/// Packets by the number of links between two nodes.
using ByDistance = std::vector<Count>;

/// Which node owns how many packets that which other node lacks. A reduce-scatter is an allgather reversed in time: there a node owes
/// what it lacks here.
class Demands {
  public:
    explicit Demands(const Facts& facts)
        : facts_(facts), counts_(*facts.counts),
          shared_(facts.operation == Operation::allgather || facts.operation == Operation::reduce_scatter ||
                  facts.operation == Operation::broadcast || facts.operation == Operation::reduce),
          looks_(facts.graph.fabric() == nullptr &&
                 (facts.operation.rooted() || facts.nodes * facts.nodes <= pairs_looked_at_max)) {}

    /// Whether all nodes want all packets.
    [[nodiscard]] bool shared() const { return shared_; }
    /// Returns how many packets of u node v lacks.
    [[nodiscard]] Count packets(NodeId u, NodeId v) const {
        if (u == v || !is_member(v)) return 0;
        if (counts_.of_pairs()) return counts_.of(u, v);
        if (shared_) return counts_.of(u);
        if (facts_.inwards()) return v == facts_.root ? counts_.of(u) : 0;
        return u == facts_.root ? counts_.of(v) : 0;
    }
    /// Returns the links from u to v; 1 where distances are not looked at.
    [[nodiscard]] Hops distance(NodeId u, NodeId v) const { return looks_ ? facts_.graph.distance(u, v) : 1; }
    /// Calls visit(u) for each node that may owe something; visit(v) for each that may lack something.
    template <class Visit>
    void for_each_owner(const Visit& visit) const {
        if (!shared_ && facts_.operation.rooted() && !facts_.inwards()) return visit(facts_.root);
        for_each_member(visit);
    }
    template <class Visit>
    void for_each_taker(const Visit& visit) const {
        if (!shared_ && facts_.inwards()) return visit(facts_.root);
        for_each_member(visit);
    }
    /// What node v lacks, and how many nodes own some of it.
    struct Share {
        ByDistance packets = {};
        NodeId nodes = 0;
    };
    [[nodiscard]] Share lacked_by(NodeId v) const {
        Share share;
        if (looks_ || !shared_) {
            for_each_owner([&](NodeId u) { add(share, distance(u, v), packets(u, v)); });
        } else {
            add(share, 1, Count{counts_.total()} - counts_.of(v));
            share.nodes = owners() - (counts_.of(v) > 0 ? 1 : 0);
        }
        return share;
    }
    /// What node u alone owns and others lack, and how many they are. A packet that all lack counts once, at the farthest of them.
    [[nodiscard]] Share owed_by(NodeId u) const {
        Share share;
        if (shared_) {
            const Count own = members() > 1 ? counts_.of(u) : 0;
            add(share, own == 0 ? 0 : looks_ ? farthest_from(u) : 1, own);
            share.nodes = own > 0 ? members() - 1 : 0;
            return share;
        }
        for_each_taker([&](NodeId v) { add(share, distance(u, v), packets(u, v)); });
        return share;
    }
    /// Returns the nodes that own packets.
    [[nodiscard]] NodeId owners() const {
        NodeId all = 0;
        for (const std::uint32_t number : counts_.numbers()) all += number > 0 ? 1 : 0;
        return all;
    }
    /// Returns the number of nodes that do not only pass on what comes.
    [[nodiscard]] NodeId members() const { return facts_.members == nullptr ? facts_.nodes : facts_.members->count(); }

  private:
    static void add(Share& share, Hops distance, Count packets) {
        if (packets == 0) return;
        if (share.packets.size() <= distance) share.packets.resize(distance + 1);
        share.packets[distance] += packets;
        ++share.nodes;
    }

    [[nodiscard]] bool is_member(NodeId v) const { return facts_.members == nullptr || facts_.members->has(v); }
    template <class Visit>
    void for_each_member(const Visit& visit) const {
        if (facts_.members != nullptr) {
            for (const NodeId v : facts_.members->ascending()) visit(v);
            return;
        }
        for (NodeId v = 0; v < facts_.nodes; ++v) visit(v);
    }
    [[nodiscard]] Hops farthest_from(NodeId u) const {
        if (facts_.members == nullptr) return facts_.graph.eccentricity(u);
        Hops most = 0;
        for (const NodeId v : facts_.members->nodes()) most = std::max(most, facts_.graph.distance(u, v));
        return most;
    }

    const Facts& facts_;
    const Counts& counts_;
    bool shared_;
    bool looks_;
};

/// The largest bound that packets at one node give.
struct AtNode {
    NodeId node = 0;
    Count packets = 0;
    Count ports = 1;
    Hops distance = 1;
    Count rounds = 0;
};

/// All that is summed up over the nodes, in one walk over owners and one over takers.
struct Totals {
    AtNode in = {};
    AtNode out = {};
    NodeId takers = 0;
    NodeId owners = 0;
    NodeId most_owners = 0;  ///< of what one node lacks
    NodeId most_takers = 0;  ///< of what one node owns
    Hops farthest = 0;
    Count packets = 0;  ///< as often as they arrive
    Count hops = 0;     ///< that they cross at least
};

class CountedBounds {
  public:
    explicit CountedBounds(const Facts& facts) : facts_(facts), demands_(facts) { sum_up(); }

    [[nodiscard]] Derivation derive() const {
        Derivation found;
        found.bundles = facts_.machine.combining;
        found.packets.add(through_ports(totals_.in, true));
        found.packets.add(through_ports(totals_.out, false));
        found.packets.add(over_all_sends());
        if (!facts_.machine.combining) found.rounds.add(one_packet_a_message(found.packets));
        found.rounds.add(
            growth(demands_.shared() && totals_.packets > 0 ? demands_.members() - 1 : totals_.most_takers, true));
        found.rounds.add(growth(totals_.most_owners, false));
        if (facts_.store_and_forward) found.rounds.add(farthest("A message crosses one link a round, and"));
        add_packet_a_round(found);
        add_work(found.work);
        found.path_sum.add(farthest("A packet travels in one message at a time, and"));
        found.path_sum.add(one_hop_a_round(found.rounds));
        return found;
    }

  private:
    [[nodiscard]] bool reversed() const {
        return facts_.operation == Operation::reduce_scatter || facts_.operation == Operation::reduce;
    }
    /// How many messages a node may take, or send, in a round; reversed in time the other way round.
    [[nodiscard]] Count ports(NodeId v, bool in) const {
        const Port own = in != reversed() ? facts_.machine.receives_of(v) : facts_.machine.sends_of(v);
        const bool one_partner = facts_.machine.pairwise && facts_.machine.switching == Switching::store_and_forward;
        return std::max<Count>(1, one_partner ? std::min<Port>(own, 1) : own);
    }
    [[nodiscard]] std::uint64_t most_ports(bool in) const {
        if (facts_.machine.has_one_limit() && facts_.graph.fabric() == nullptr)
            return std::max<std::uint64_t>(1, facts_.ports);
        Count most = 1;
        for (NodeId v = 0; v < facts_.nodes; ++v) most = std::max(most, ports(v, in));
        return static_cast<std::uint64_t>(most);
    }

    void look_at(NodeId v, const Demands::Share& share, bool in, AtNode& best) const {
        const Count through = ports(v, in);
        Count packets = 0;
        for (std::size_t d = share.packets.size(); d-- > 0;) {
            packets += share.packets[d];
            if (packets == 0 || (!facts_.store_and_forward && d > 1)) continue;
            const Count rounds = (facts_.store_and_forward ? d - 1 : 0) + ceil_div(packets, through);
            if (rounds > best.rounds) best = {v, packets, through, d, rounds};
            if (d <= 1) break;
        }
    }

    void sum_up() {
        demands_.for_each_taker([&](NodeId v) {
            const Demands::Share lacks = demands_.lacked_by(v);
            if (lacks.nodes == 0) return;
            ++totals_.takers;
            totals_.most_owners = std::max(totals_.most_owners, lacks.nodes);
            totals_.farthest = std::max<Hops>(totals_.farthest, lacks.packets.size() - 1);
            for (std::size_t d = 0; d < lacks.packets.size(); ++d) {
                totals_.packets += lacks.packets[d];
                totals_.hops += lacks.packets[d] * (demands_.shared() ? 1 : d);
            }
            look_at(v, lacks, true, totals_.in);
        });
        demands_.for_each_owner([&](NodeId u) {
            const Demands::Share owes = demands_.owed_by(u);
            if (owes.nodes == 0) return;
            ++totals_.owners;
            totals_.most_takers = std::max(totals_.most_takers, owes.nodes);
            look_at(u, owes, false, totals_.out);
        });
    }

    [[nodiscard]] Reason through_ports(const AtNode& at, bool in) const {
        const std::string far =
            at.distance > 1 && facts_.store_and_forward
                ? fmt::format(" from {} away, {} more on their way", counted(at.distance, "link", "links"),
                              counted(at.distance - 1, "round", "rounds"))
                : "";
        return {fmt::format("{} {} node {}: {} of {}{}", facts_.operation.folds() ? "values" : "packets",
                            in != reversed() ? "for" : "of", facts_.node(at.node), at.packets,
                            counted(at.ports, "port", "ports"), far),
                at.rounds, "In a round each port passes at most the round's largest bundle.", "model section 2"};
    }
    [[nodiscard]] Reason over_all_sends() const {
        const Count crossed = facts_.store_and_forward ? totals_.hops : totals_.packets;
        const Count sends = std::max<Count>(1, ports_of_all(facts_));
        return {
            fmt::format("ceil({} / {}): links to cross over sends", crossed, sends), ceil_div(crossed, sends),
            fmt::format("A round has at most {}, each of at most its largest bundle.", counted(sends, "send", "sends")),
            "total traffic"};
    }
    /// `out`: of the nodes that depend on one; else of those on which one depends.
    [[nodiscard]] Reason growth(NodeId others, bool out) const {
        const std::uint64_t base = most_ports(!out) + 1;
        return {
            fmt::format("{}: ceil(log{} {})", out != reversed() ? "fan-out" : "fan-in", base, others + 1),
            ceil_log(base, others + 1),
            out != reversed()
                ? fmt::format("{} what one node alone owns, and in a round the nodes that have some of it grow at "
                              "most {}-fold.",
                              counted(others, "node lacks", "nodes lack"), base)
                : fmt::format("A node lacks what {} alone; going back a round, the nodes that can still reach it in "
                              "time grow at most {}-fold.",
                              counted(others, "node owns", "nodes own"), base),
            "Lemma 1"};
    }
    [[nodiscard]] Reason farthest(std::string_view because) const {
        return {fmt::format("distance of the farthest: {}", totals_.farthest), totals_.farthest,
                fmt::format("{} some packet is {} away from where it is wanted.", because,
                            counted(totals_.farthest, "link", "links")),
                "Lemma 1"};
    }
    void add_work(Arguments& work) const {
        work.add({"a message for each node that lacks something", totals_.takers,
                  "Each of them receives a message, over at least one link.", "counting messages"});
        work.add({"a message of each node that others lack something of", totals_.owners,
                  "Each of them sends a message, over at least one link.", "counting messages"});
        work.add(farthest("A packet crosses at least as many links as its distance, and"));
        if (demands_.shared() && totals_.owners >= 2)
            work.add({fmt::format("collect, then distribute: {} + {}", demands_.members() - 1, totals_.owners - 1),
                      Count{demands_.members()} - 1 + totals_.owners - 1,
                      "Before one node has all packets each other owner has sent a message towards it; after that each "
                      "of the others must still receive the one that makes it complete.",
                      "one-way gossip; Harary, Schwenk 1974"});
        if (!facts_.machine.combining)
            work.add({"links that single packets cross", totals_.hops,
                      "Without combining every packet travels in messages of its own, over at least the distance.",
                      "counting packets"});
    }

    const Facts& facts_;
    Demands demands_;
    Totals totals_;
};

}  // namespace

Derivation derive_counts(const Facts& facts) { return CountedBounds(facts).derive(); }

}  // namespace kport::bounds
