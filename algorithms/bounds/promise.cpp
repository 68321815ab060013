#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

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

/// Dependences of nodes on contributions of others. With combining, rounds and work are those of the schedule in which each contribution is a
/// packet; the volume is that of the segments, of which a message has one value each.
class FoldDemands {
  public:
    /// A segment of which some nodes lack a fold.
    struct Segment {
        std::uint32_t number = 0;
        std::set<NodeId> givers = {};  ///< whose contribution another node takes
        std::set<NodeId> takers = {};  ///< that take one of another node
        std::set<NodeId> contributing_takers = {};
        Hops farthest = 0;
        bool is_shared = true;  ///< all take the same fold
    };

    FoldDemands(const Facts& facts, bool in_bytes)
        : facts_(facts), bytes_(in_bytes ? facts.counts->bytes() : nullptr), lacks_(facts.nodes), owes_(facts.nodes) {
        const OwnFolds& folds = *facts.promise->own_folds();
        std::map<std::uint32_t, std::map<NodeId, Hops>> owed;  // by segment and giver: its farthest taker
        std::map<std::uint32_t, Segment> segments;
        for (const TakenFold& fold : folds.all()) {
            Segment& segment = segments[fold.segment];
            segment.number = fold.segment;
            segment.is_shared = !folds.in_result(fold.segment).empty();
            Hops farthest = 0;
            for (const PacketBlock& block : fold.of.blocks())
                for (std::uint32_t i = 0; i < block.count; ++i) {
                    const NodeId u = block.columns()[i];
                    if (u == fold.node) {
                        segment.contributing_takers.insert(u);
                        continue;
                    }
                    const Hops links = facts.store_and_forward ? facts.graph.distance(u, fold.node) : 1;
                    farthest = std::max(farthest, links);
                    Hops& far = owed[fold.segment][u];
                    far = std::max(far, links);
                    lacks_[fold.node].others.insert(u);
                    owes_[u].others.insert(fold.node);
                    segment.givers.insert(u);
                }
            if (farthest == 0) continue;
            segment.takers.insert(fold.node);
            segment.farthest = std::max(segment.farthest, farthest);
            lacks_[fold.node].share.add(farthest, size(fold.segment));
        }
        for (const auto& [number, givers] : owed)
            for (const auto& [u, far] : givers) owes_[u].share.add(far, size(number));
        for (auto& [number, segment] : segments)
            if (!segment.takers.empty()) lacked_.push_back(std::move(segment));
    }

    [[nodiscard]] const std::vector<Segment>& lacked() const { return lacked_; }
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
    /// Each taker of a segment receives a value of it, each giver sends one, and one goes all the way to the farthest.
    [[nodiscard]] Count more_hops() const {
        Count more = 0;
        for (const Segment& of : lacked_) more += size(of.number) * (least_messages(of) - Count{of.takers.size()});
        return more;
    }
    [[nodiscard]] static Count least_messages(const Segment& of) {
        const Count both = of.is_shared ? collect_then_distribute(of) : 0;
        return std::max({Count{of.takers.size()}, Count{of.givers.size()}, Count{of.farthest}, both});
    }
    /// Where all takers of a segment take the same: before the first of them has all, each other giver sends a message; after that each
    /// other taker receives the one that makes it complete.
    [[nodiscard]] static Count collect_then_distribute(const Segment& of) {
        std::set<NodeId> takers = of.takers;
        takers.insert(of.contributing_takers.begin(), of.contributing_takers.end());
        const auto givers = std::ranges::count_if(takers, [&](NodeId v) { return of.givers.contains(v); });
        return givers < 2 ? Count{0} : Count{takers.size()} - 1 + static_cast<Count>(givers) - 1;
    }

  private:
    struct Own {
        DemandedShare share = {};
        std::set<NodeId> others = {};
    };

    [[nodiscard]] Count size(std::uint32_t segment) const { return bytes_ == nullptr ? 1 : bytes_->of(segment); }
    [[nodiscard]] static DemandedShare share(const Own& own) {
        DemandedShare share = own.share;
        share.nodes = own.others.size();
        return share;
    }

    const Facts& facts_;
    const Counts* bytes_;
    std::vector<Own> lacks_;
    std::vector<Own> owes_;
    std::vector<Segment> lacked_;
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

/// The bounds of folds: of the schedules with their contributions as packets, in which nodes depend on the same others.
Derivation derive_folds(const Facts& facts) {
    const FoldDemands demands(facts, false);
    Derivation found = PromisedBounds(facts, demands, "values").derive();
    const FoldDemands::Segment* dearest = nullptr;
    for (const FoldDemands::Segment& of : demands.lacked())
        if (of.is_shared && (dearest == nullptr ||
                             FoldDemands::collect_then_distribute(of) > FoldDemands::collect_then_distribute(*dearest)))
            dearest = &of;
    if (dearest != nullptr && FoldDemands::collect_then_distribute(*dearest) > 0)
        found.work.add(
            {fmt::format("collect, then distribute segment {}", dearest->number),
             FoldDemands::collect_then_distribute(*dearest),
             "Before one node has all contributions each other one has sent a message towards it; after that "
             "each of the others must still receive the one that makes it complete.",
             "one-way gossip; Harary, Schwenk 1974"});
    constexpr std::size_t trees_max = 256;
    std::optional<Reason> tree;
    for (std::size_t i = 0; i < std::min(trees_max, demands.lacked().size()); ++i) {
        const FoldDemands::Segment& of = demands.lacked()[i];
        if (of.takers.size() != 1) continue;  // the messages to one taker join it and the givers
        std::vector<NodeId> nodes(of.givers.begin(), of.givers.end());
        nodes.push_back(*of.takers.begin());
        Reason one = steiner_work(facts, nodes);
        if (!one.name.empty() && (!tree || one.value > tree->value)) tree = std::move(one);
    }
    if (tree) found.work.add(*tree);
    if (facts.counts == nullptr) return found;
    const FoldDemands sized(facts, true);
    found.packets = PromisedBounds(facts, sized, "bytes").derive().packets;
    return found;
}

}  // namespace

Derivation derive_promise(const Facts& facts) {
    if (facts.promise->own_folds() != nullptr) {
        std::uint64_t taken = 0;
        for (const TakenFold& fold : facts.promise->own_folds()->all()) taken += fold.of.size();
        return taken > counted_max ? Derivation() : derive_folds(facts);
    }
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
