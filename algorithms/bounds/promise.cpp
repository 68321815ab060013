#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/lacked.hpp"
#include "algorithms/bounds/promised.hpp"

namespace kport::bounds {
namespace {

constexpr std::uint64_t counted_max = std::uint64_t{1} << 22;

/// A packet that some nodes lack, and how far it is from them.
struct Lacked : LackedPacket {
    std::vector<Hops> far = {};  ///< of each taker, from the nearest owner
    Hops farthest = 0;

    [[nodiscard]] bool has_one_owner() const { return owners.size() == 1; }
};

/// The owners and takers of each packet of a collective of one's own.
class OwnDemands {
  public:
    /// `in_bytes`: packets count with their sizes, where these differ.
    OwnDemands(const Facts& facts, bool in_bytes)
        : facts_(facts), bytes_(in_bytes ? facts.counts->bytes() : nullptr), lacks_(facts.nodes), owes_(facts.nodes) {
        for (LackedPacket& one : lacked_packets(*facts.promise, facts.nodes))
            look_at(lacked_.emplace_back(Lacked{std::move(one)}));
    }

    [[nodiscard]] const std::vector<Lacked>& lacked() const { return lacked_; }
    [[nodiscard]] static bool shared() { return false; }
    [[nodiscard]] static NodeId members() { return 0; }
    template <class Visit>
    void for_each_owner(const Visit& visit) const {
        for (NodeId v = 0; v < facts_.nodes; ++v) visit(v);
    }
    template <class Visit>
    void for_each_taker(const Visit& visit) const {
        for_each_owner(visit);
    }
    [[nodiscard]] DemandedShare lacked_by(NodeId v) const { return share(lacks_[v]); }
    [[nodiscard]] DemandedShare owed_by(NodeId u) const { return share(owes_[u]); }
    [[nodiscard]] static Count hops_of(Hops) { return 1; }
    /// A packet crosses as many links as it has takers, and at least those to the farthest.
    [[nodiscard]] Count more_hops() const {
        Count more = 0;
        for (const Lacked& of : lacked_)
            if (of.farthest > of.takers.size()) more += size(of) * (Count{of.farthest} - Count{of.takers.size()});
        return more;
    }

  private:
    struct Own {
        DemandedShare share = {};
        std::set<NodeId> others = {};  ///< that alone own, or lack, some of it
    };

    [[nodiscard]] Count size(const Lacked& of) const { return bytes_ == nullptr ? 1 : bytes_->of(of.packet); }
    [[nodiscard]] static DemandedShare share(const Own& own) {
        DemandedShare share = own.share;
        share.nodes = own.others.size();
        return share;
    }
    void look_at(Lacked& of) {
        for (const NodeId v : of.takers) {
            std::optional<Hops> nearest;
            for (const NodeId u : of.owners) {
                const Hops links = facts_.store_and_forward ? facts_.graph.distance(u, v) : 1;
                nearest = std::min(nearest.value_or(links), links);
            }
            of.far.push_back(*nearest);
            of.farthest = std::max(of.farthest, *nearest);
            lacks_[v].share.add(*nearest, size(of));
            if (of.has_one_owner()) lacks_[v].others.insert(of.owners.front());
        }
        if (!of.has_one_owner()) return;
        Own& owes = owes_[of.owners.front()];
        owes.share.add(of.farthest, size(of));
        owes.others.insert(of.takers.begin(), of.takers.end());
    }

    const Facts& facts_;
    const Counts* bytes_;
    std::vector<Lacked> lacked_;
    std::vector<Own> lacks_;
    std::vector<Own> owes_;
};

/// Rounds until the nodes that have a packet, which grow at most (k+1)-fold a round, are its owners and its takers.
Reason growth_of_packets(const Facts& facts, const OwnDemands& demands) {
    Port sends = 1;
    for (NodeId v = 0; v < facts.nodes; ++v) sends = std::max(sends, facts.machine.sends_of(v));
    const std::uint64_t base = std::uint64_t{sends} + 1;
    Count rounds = 0;
    const Lacked* slowest = nullptr;
    for (const Lacked& of : demands.lacked()) {
        Count needed = 0;
        for (std::uint64_t have = of.owners.size(), all = have + of.takers.size(); have < all; have *= base) ++needed;
        if (needed <= rounds) continue;
        rounds = needed;
        slowest = &of;
    }
    if (slowest == nullptr) return {"no packet is lacking", 0, "Every node owns what it wants.", "definition"};
    return {fmt::format("packet {}: from {} to {}", slowest->packet, counted(slowest->owners.size(), "node", "nodes"),
                        slowest->owners.size() + slowest->takers.size()),
            rounds, fmt::format("In a round the nodes that have a packet grow at most {}-fold.", base), "Lemma 1"};
}

/// Work where some nodes want the same packets, of which each has one owner and at least two of these nodes own some.
std::optional<Reason> collect_then_distribute(const Facts& facts, const OwnDemands& demands) {
    const Collective& collective = *facts.promise;
    if (demands.lacked().empty()) return std::nullopt;
    PacketSet all;
    NodeId takers = 0;
    NodeId owners = 0;
    std::uint64_t owned = 0;
    for (NodeId v = 0; v < facts.nodes; ++v) {
        const PacketSet wanted = collective.wanted(v, facts.nodes);
        if (wanted.empty()) continue;
        all.include(wanted.blocks());
    }
    for (NodeId v = 0; v < facts.nodes; ++v) {
        PacketSet has = collective.wanted(v, facts.nodes);
        const PacketSet own = collective.owned(v, facts.nodes);
        owned += common_size(own.blocks(), all);
        if (has.empty()) continue;
        has.include(span_of(in_both(own.blocks(), all)));
        if (has.size() != all.size()) return std::nullopt;
        ++takers;
        owners += common_size(own.blocks(), all) != 0 ? 1 : 0;
    }
    if (takers == 0 || owners < 2 || owned != all.size()) return std::nullopt;
    return Reason{
        fmt::format("collect, then distribute: {} + {}", takers - 1, owners - 1), Count{takers} - 1 + owners - 1,
        "Before one node has all packets each other owner has sent a message towards it; after that each of the "
        "others must still receive the one that makes it complete.",
        "one-way gossip; Harary, Schwenk 1974"};
}

/// The dearest tree that the owner of a packet and its takers need.
std::optional<Reason> dearest_tree(const Facts& facts, const OwnDemands& demands) {
    std::optional<Reason> dearest;
    constexpr std::size_t trees_max = 256;
    std::set<std::vector<NodeId>> seen;
    for (const Lacked& of : demands.lacked()) {
        std::vector<NodeId> nodes = of.takers;
        nodes.push_back(of.owners.front());
        if (!of.has_one_owner() || seen.size() == trees_max || !seen.insert(nodes).second) continue;
        Reason tree = steiner_work(facts, nodes);
        if (!tree.name.empty() && (!dearest || tree.value > dearest->value)) dearest = std::move(tree);
    }
    return dearest;
}

}  // namespace

Derivation derive_promise(const Facts& facts) {
    if (size_of_promise(*facts.promise, facts.nodes, counted_max) > counted_max) return {};
    const OwnDemands demands(facts, false);
    Derivation found = PromisedBounds(facts, demands, "packets").derive();
    found.rounds.add(growth_of_packets(facts, demands));
    if (const auto both = collect_then_distribute(facts, demands)) found.work.add(*both);
    if (const auto tree = dearest_tree(facts, demands)) found.work.add(*tree);
    if (facts.counts == nullptr) return found;
    const OwnDemands sized(facts, true);
    found.packets = PromisedBounds(facts, sized, "bytes").derive().packets;
    return found;
}

}  // namespace kport::bounds
