/// @file promised.hpp   Lower bounds from a promise alone: who owns what, and who lacks it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::bounds {

/// Packets by the number of links between two nodes.
using ByDistance = std::vector<Count>;

/// What a node lacks, and how many nodes own some of it; or what it alone owns and others lack, and how many they are. A packet that
/// several lack counts once, at the farthest of them.
struct DemandedShare {
    ByDistance packets = {};
    NodeId nodes = 0;

    void add(Hops distance, Count some) {
        if (packets.size() <= distance) packets.resize(distance + 1);
        packets[distance] += some;
    }
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

/// Bounds from who owns and who lacks what.
///
/// Demands   lacked_by(v) and owed_by(u): packets by distance, and how many nodes own or lack them alone; for_each_owner(), for_each_taker();
///           shared(): whether all members() nodes want all packets; hops_of(d): links that a packet crosses at least for a node at
///           distance d; more_hops(): and besides.
template <class Demands>
class PromisedBounds {
  public:
    /// `noun`: what is counted.
    PromisedBounds(const Facts& facts, const Demands& demands, std::string_view noun)
        : facts_(facts), demands_(demands), noun_(noun) {
        sum_up();
    }

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

    void look_at(NodeId v, const DemandedShare& share, bool in, AtNode& best) const {
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
            const DemandedShare lacks = demands_.lacked_by(v);
            if (lacks.packets.empty()) return;
            ++totals_.takers;
            totals_.most_owners = std::max(totals_.most_owners, lacks.nodes);
            totals_.farthest = std::max<Hops>(totals_.farthest, lacks.packets.size() - 1);
            for (std::size_t d = 0; d < lacks.packets.size(); ++d) {
                totals_.packets += lacks.packets[d];
                totals_.hops += lacks.packets[d] * demands_.hops_of(d);
            }
            look_at(v, lacks, true, totals_.in);
        });
        totals_.hops += demands_.more_hops();
        demands_.for_each_owner([&](NodeId u) {
            const DemandedShare owes = demands_.owed_by(u);
            if (owes.packets.empty()) return;
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
        return {fmt::format("{} {} node {}: {} of {}{}", noun_, in != reversed() ? "for" : "of", facts_.node(at.node),
                            at.packets, counted(at.ports, "port", "ports"), far),
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
    const Demands& demands_;
    std::string_view noun_;
    Totals totals_;
};

}  // namespace kport::bounds

namespace kport {

/// A packet of a collective of one's own that some nodes lack.
struct LackedPacket {
    std::uint32_t packet = 0;
    std::vector<NodeId> owners = {};  ///< ascending
    std::vector<NodeId> takers = {};  ///< that want it and do not own it, ascending
};

/// Returns those of a collective of one's own, ascending; those that no node owns are left out, and names of packets that are
/// none, which require_valid() refuses.
///
/// Cost  O(P + the packets that nodes own and want).
[[nodiscard]] std::vector<LackedPacket> lacked_packets(const Collective& collective, NodeId nodes);

/// Returns how many packets there are, and how often they are owned and wanted; no more than `most` is counted.
[[nodiscard]] std::uint64_t size_of_promise(const Collective& collective, NodeId nodes, std::uint64_t most);

}  // namespace kport
