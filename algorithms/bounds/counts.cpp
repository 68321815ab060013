#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/promised.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::bounds {
namespace {

constexpr NodeId pairs_looked_at_max = NodeId{1} << 20;
constexpr NodeId fabric_pairs_max = NodeId{1} << 16;  // where a distance may take a search

/// Which node owns how many packets that which other node lacks. A reduce-scatter is an allgather reversed in time: there a node owes
/// what it lacks here.
class CountedDemands {
  public:
    explicit CountedDemands(const Facts& facts)
        : facts_(facts), counts_(*facts.counts),
          shared_(facts.operation == Operation::allgather || facts.operation == Operation::reduce_scatter ||
                  facts.operation == Operation::broadcast || facts.operation == Operation::reduce),
          looks_(facts.graph.fabric() == nullptr
                     ? facts.operation.rooted() || facts.nodes * facts.nodes <= pairs_looked_at_max
                     : facts.nodes * facts.nodes <= fabric_pairs_max) {}

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
    [[nodiscard]] Hops distance(NodeId u, NodeId v) const {
        if (!looks_) return 1;
        return facts_.graph.fabric() == nullptr ? facts_.graph.distance(u, v) : facts_.graph.wires().distance(u, v);
    }
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
    [[nodiscard]] DemandedShare lacked_by(NodeId v) const {
        DemandedShare share;
        if (looks_ || !shared_) {
            for_each_owner([&](NodeId u) { add(share, distance(u, v), packets(u, v)); });
        } else {
            add(share, 1, Count{counts_.total()} - counts_.of(v));
            share.nodes = owners() - (counts_.of(v) > 0 ? 1 : 0);
        }
        return share;
    }
    /// What node u alone owns and others lack, and how many they are. A packet that all lack counts once, at the farthest of them.
    [[nodiscard]] DemandedShare owed_by(NodeId u) const {
        DemandedShare share;
        if (shared_) {
            const Count own = members() > 1 ? counts_.of(u) : 0;
            add(share, own == 0 ? 0 : looks_ ? farthest_from(u) : 1, own);
            share.nodes = own > 0 ? members() - 1 : 0;
            return share;
        }
        for_each_taker([&](NodeId v) { add(share, distance(u, v), packets(u, v)); });
        return share;
    }
    [[nodiscard]] Count hops_of(Hops distance) const { return shared_ ? 1 : Count{distance}; }
    /// A packet for all members crosses a link for each of them, and at least those to the farthest.
    [[nodiscard]] Count more_hops() const {
        if (!shared_ || !looks_ || members() < 2) return 0;
        Count more = 0;
        for_each_member([&](NodeId u) {
            const Hops far = counts_.of(u) > 0 ? farthest_from(u) : 0;
            if (far >= members()) more += counts_.of(u) * (Count{far} - (members() - 1));
        });
        return more;
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
    static void add(DemandedShare& share, Hops distance, Count packets) {
        if (packets == 0) return;
        share.add(distance, packets);
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
        if (facts_.members == nullptr && facts_.graph.fabric() == nullptr) return facts_.graph.eccentricity(u);
        Hops most = 0;
        for_each_member([&](NodeId v) { most = std::max(most, distance(u, v)); });
        return most;
    }

    const Facts& facts_;
    const Counts& counts_;
    bool shared_;
    bool looks_;
};

}  // namespace

Derivation derive_counts(const Facts& facts) {
    const CountedDemands demands(facts);
    Derivation found = PromisedBounds(facts, demands, facts.operation.folds() ? "values" : "packets").derive();
    if (facts.graph.fabric() != nullptr && facts.members == nullptr && facts.nodes * facts.nodes <= fabric_pairs_max &&
        demands.shared() && facts.counts->total() > 0)
        found.work.add(tree_of_hosts(facts));
    if (facts.counts->bytes() == nullptr) return found;
    // A packet of so many bytes costs at least what as many packets of a byte cost that travel together.
    Facts of_bytes = facts;
    of_bytes.counts = std::make_shared<const Counts>(*facts.counts->bytes());
    found.packets = PromisedBounds(of_bytes, CountedDemands(of_bytes), "bytes").derive().packets;
    return found;
}

}  // namespace kport::bounds
