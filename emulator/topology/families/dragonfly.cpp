#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"
#include "emulator/topology/divisor.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// G groups of A routers with H global links each, 2 <= G <= A H + 1; router r of group x is x A + r. Ports 0 .. A-2 lead to the
/// others of the group ascending; port A-1+q is global link j = r H + q of the group. Each A H / (G-1) whole layers of G-1
/// global links have one link to every other group: number i of its layer leads to the group and the number that the
/// arrangement names, in the same layer. Global links that are left over are absent. Links between the same two routers
/// are one trunk, on the port of the first.
/// Source    Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, ISCA (2008), routers alone;
///           arrangements: Hastings, Rincon-Cruz, Spehlmann, Meyers, Xu, Bunde, Leung, Comparing global link arrangements
///           for dragonfly networks, CLUSTER (2015).
class Dragonfly final : public Topology {
  public:
    enum Arrangement : std::uint8_t { palm_tree, absolute, circulant };
    struct Shape {
        std::uint64_t routers;  ///< in a group
        std::uint64_t links;    ///< global links of a router
        std::uint64_t groups;
        Arrangement arrangement;

        /// Whether all global links are used, a single one between two groups, in the arrangement of the first paper.
        [[nodiscard]] bool is_first() const { return groups == routers * links + 1 && arrangement == palm_tree; }
        [[nodiscard]] std::uint64_t layers() const { return routers * links / (groups - 1); }
        /// Whether two layers may have links between the same routers.
        [[nodiscard]] bool may_have_trunks() const { return groups - 1 < links && layers() > 1; }
    };

    explicit Dragonfly(const Shape& shape)
        : Topology(spec_of(shape), shape.routers * shape.groups, static_cast<Port>(shape.routers - 1 + shape.links)),
          shape_(shape), layer_(shape.groups - 1), layers_(shape.layers()), by_routers_(shape.routers),
          by_links_(shape.links), by_layer_(shape.groups - 1) {
        channels_ = shape.groups * (shape.routers * (shape.routers - 1) + layers_ * layer_);
        labels_in_use_ = static_cast<Port>(shape.routers - 1 + std::min(shape.links, layers_ * layer_));
        if (shape.may_have_trunks()) find_trunks();
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const NodeId x = by_routers_.quotient(v);
        const NodeId r = v - x * shape_.routers;
        if (p + 1 < shape_.routers) {
            const NodeId other = p < r ? p : NodeId{p} + 1;
            return {v - r + other, static_cast<Port>(r < other ? r : r - 1)};
        }
        const std::uint64_t j = r * shape_.links + (p + 1 - shape_.routers);
        const std::uint64_t layer = by_layer_.quotient(j);
        if (layer >= layers_) return {};
        const GlobalEnd far = far_end({x, j - layer * layer_});
        const std::uint64_t there = layer * layer_ + far.index;
        const NodeId router = by_links_.quotient(there);
        if (has_trunks_ && layers_between(r, j - layer * layer_, router, far.index).first != layer) return {};
        return {far.group * shape_.routers + router,
                static_cast<Port>(shape_.routers - 1 + (there - router * shape_.links))};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        const NodeId x = by_routers_.quotient(v);
        const NodeId y = by_routers_.quotient(w);
        const NodeId r = v - x * shape_.routers;
        const NodeId s = w - y * shape_.routers;
        if (x == y) return r == s ? no_port : static_cast<Port>(s < r ? s : s - 1);
        const std::uint64_t i = index_of(x, y);
        const Layers joined = layers_between(r, i, s, index_of(y, x));
        if (joined.first > joined.last) return no_port;
        return static_cast<Port>(shape_.routers - 1 + (joined.first * layer_ + i - r * shape_.links));
    }
    [[nodiscard]] std::uint64_t capacity(NodeId v, Port p) const override {
        if (!has_trunks_ || p + 1 < shape_.routers) return 1;
        const NodeId x = by_routers_.quotient(v);
        const NodeId r = v - x * shape_.routers;
        const std::uint64_t j = r * shape_.links + (p + 1 - shape_.routers);
        const std::uint64_t i = j - by_layer_.quotient(j) * layer_;
        const LinkEnd end = across(v, p);
        const Layers joined =
            layers_between(r, i, end.node - by_routers_.quotient(end.node) * shape_.routers, far_end({x, i}).index);
        return static_cast<std::uint32_t>(joined.last - joined.first + 1);
    }
    [[nodiscard]] bool has_trunks() const override { return has_trunks_; }
    [[nodiscard]] Port labels_in_use() const override { return labels_in_use_; }
    [[nodiscard]] Port degree(NodeId v) const override {
        if (has_trunks_) return Topology::degree(v);
        const std::uint64_t first = (v - by_routers_.quotient(v) * shape_.routers) * shape_.links;
        const std::uint64_t used = layers_ * layer_;
        return static_cast<Port>(shape_.routers - 1 + std::min(used - std::min(used, first), shape_.links));
    }
    [[nodiscard]] Port max_degree() const override { return has_trunks_ ? Topology::max_degree() : degree(0); }
    [[nodiscard]] std::uint64_t channels() const override { return channels_; }

    /// Any two groups are linked: a local, a global and a local link lead everywhere.
    [[nodiscard]] Hops diameter() const override {
        if (shape_.routers == 1) return 1;
        return shape_.is_first() || eccentricity(0) == 3 ? 3 : extremes().most;
    }
    [[nodiscard]] Hops radius() const override {
        if (shape_.routers == 1) return 1;
        return extremes().least;
    }
    [[nodiscard]] Hops eccentricity(NodeId v) const override {
        return is_beyond_two_steps() ? 3 : distance_profile(v).size() - 1;
    }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        if (!two_steps_are_few()) return Topology::distance_profile(v);
        const std::uint64_t within_two = is_beyond_two_steps() ? sparse_within_two(v) : dense_within_two(v);
        std::vector<std::uint64_t> profile{1, degree(v), within_two - 1 - degree(v), nodes() - within_two};
        while (profile.back() == 0) profile.pop_back();
        return profile;
    }
    /// In the arrangement of the first paper groups can be rotated, and mapping x and r to -x and A-1-r exchanges the two routers
    /// of a group. With one global link a router and all used the groups are the corners of a complete graph, any two of which
    /// can be exchanged.
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override {
        if (shape_.routers == 1) return true;
        if (shape_.links == 1 && shape_.groups == shape_.routers + 1) return true;
        return shape_.is_first() ? shape_.routers <= 2 : Topology::vertex_symmetry();
    }
    /// Three routers of a group are a triangle.
    [[nodiscard]] bool bipartite() const override { return shape_.routers < 3 && Topology::bipartite(); }

  private:
    /// A global link of a group: its number in its layer.
    struct GlobalEnd {
        NodeId group;
        std::uint64_t index;
    };
    /// No layers where `first` is above `last`.
    struct Layers {
        std::uint64_t first;
        std::uint64_t last;
    };

    [[nodiscard]] static std::string spec_of(const Shape& shape) {
        if (shape.is_first()) return fmt::format("dragonfly:{},{}", shape.routers, shape.links);
        return fmt::format("dragonfly:{},{},{},{}", shape.routers, shape.links, shape.groups,
                           static_cast<unsigned>(shape.arrangement));
    }
    /// Returns x + y modulo the number of groups, x and y less than that.
    [[nodiscard]] NodeId rotated(NodeId x, NodeId y) const {
        return x + y < shape_.groups ? x + y : x + y - shape_.groups;
    }

    [[nodiscard]] GlobalEnd far_end(const GlobalEnd& end) const {
        const auto [x, i] = end;
        const NodeId groups = shape_.groups;
        switch (shape_.arrangement) {
            case palm_tree: return {rotated(x, i + 1), groups - 2 - i};
            case absolute: return i < x ? GlobalEnd{i, x - 1} : GlobalEnd{i + 1, x};
            case circulant: break;
        }
        if (2 * (i / 2 + 1) == groups) return {rotated(x, groups / 2), i};
        return i % 2 == 0 ? GlobalEnd{rotated(x, i / 2 + 1), i + 1}
                          : GlobalEnd{rotated(x, groups - (i + 1) / 2), i - 1};
    }
    /// Returns the number, in each layer, of the link of group x to group y.
    [[nodiscard]] std::uint64_t index_of(NodeId x, NodeId y) const {
        const NodeId apart = rotated(y, x == 0 ? 0 : shape_.groups - x);
        switch (shape_.arrangement) {
            case palm_tree: return apart - 1;
            case absolute: return y < x ? y : y - 1;
            case circulant: break;
        }
        if (2 * apart == shape_.groups) return shape_.groups - 2;
        return 2 * apart < shape_.groups ? 2 * (apart - 1) : 2 * (shape_.groups - apart) - 1;
    }

    /// Returns the layers in which link i of a group is one of router r.
    [[nodiscard]] Layers layers_of(NodeId r, std::uint64_t i) const {
        const std::uint64_t begin = r * shape_.links;
        const std::uint64_t last = begin + shape_.links - 1;
        const std::uint64_t first = begin <= i ? 0 : by_layer_.quotient(begin - i + layer_ - 1);
        if (last < i) return {1, 0};
        return {first, std::min(layers_ - 1, by_layer_.quotient(last - i))};
    }
    /// Returns the layers in which routers r and s of two groups are joined; i and k are the numbers of the groups' links to
    /// each other.
    [[nodiscard]] Layers layers_between(NodeId r, std::uint64_t i, NodeId s, std::uint64_t k) const {
        const Layers here = layers_of(r, i);
        const Layers there = layers_of(s, k);
        return {std::max(here.first, there.first), std::min(here.last, there.last)};
    }
    void find_trunks() {
        const NodeId different = rotatable() ? 1 : shape_.groups;
        std::uint64_t merged = 0;
        labels_in_use_ = 0;
        for (NodeId x = 0; x < different; ++x)
            for (std::uint64_t i = 0; i < layer_; ++i) {
                const std::uint64_t there = far_end({x, i}).index;
                for (std::uint64_t layer = 0; layer < layers_; ++layer) {
                    if (layer > 0 && same_router(layer, i) && same_router(layer, there)) {
                        ++merged;
                        continue;
                    }
                    const std::uint64_t j = layer * layer_ + i;
                    const std::uint64_t label = shape_.routers - 1 + (j - by_links_.quotient(j) * shape_.links);
                    labels_in_use_ = std::max(labels_in_use_, static_cast<Port>(label + 1));
                }
            }
        channels_ -= merged * (shape_.groups / different);
        has_trunks_ = merged > 0;
    }
    /// Whether link i of a layer belongs to the same router as that of the layer before.
    [[nodiscard]] bool same_router(std::uint64_t layer, std::uint64_t i) const {
        const std::uint64_t j = layer * layer_ + i;
        return by_links_.quotient(j) == by_links_.quotient(j - layer_);
    }

    /// Whether adding 1 to all groups is an automorphism.
    [[nodiscard]] bool rotatable() const { return shape_.arrangement != absolute; }
    /// Whether no node can reach all by two links, since there are too many.
    [[nodiscard]] bool is_beyond_two_steps() const { return (nodes() - 1) / ports() > ports(); }
    [[nodiscard]] bool two_steps_are_few() const { return ports() <= 1024; }
    /// Returns how many nodes are two links from v, or nearer; few of all.
    [[nodiscard]] std::uint64_t sparse_within_two(NodeId v) const {
        std::vector<NodeId> reached{v};
        for_each_neighbour(*this, v, [&](NodeId w) {
            reached.push_back(w);
            for_each_neighbour(*this, w, [&](NodeId u) { reached.push_back(u); });
        });
        std::ranges::sort(reached);
        return static_cast<std::uint64_t>(std::ranges::unique(reached).begin() - reached.begin());
    }
    /// Returns that where they may be all: some neighbours lead to most.
    [[nodiscard]] std::uint64_t dense_within_two(NodeId v) const {
        std::vector<bool> is_reached(nodes(), false);
        std::uint64_t reached = 0;
        const auto reach = [&](NodeId w) {
            reached += is_reached[w] ? 0U : 1U;
            is_reached[w] = true;
        };
        reach(v);
        for_each_neighbour(*this, v, reach);
        for_each_neighbour(*this, v, [&](NodeId w) {
            if (reached < nodes()) for_each_neighbour(*this, w, reach);
        });
        return reached;
    }

    struct Extremes {
        Hops least;
        Hops most;
    };
    /// Returns the extremes of the eccentricities, which are at most 3; those of the first nodes suffice where they are 3 and 2,
    /// since the least is at least half the most.
    [[nodiscard]] Extremes extremes() const {
        if (is_beyond_two_steps()) return {3, 3};
        constexpr double steps_max = 5e8;
        constexpr NodeId looked_at_first = 64;
        const NodeId different = rotatable() ? shape_.routers : nodes();
        const double steps = static_cast<double>(different) * static_cast<double>(ports()) * ports();
        const bool looks_at_all = two_steps_are_few() && steps <= steps_max;
        const NodeId looked_at = looks_at_all ? different : std::min(different, looked_at_first);
        Extremes found{3, 0};
        for (NodeId v = 0; v < looked_at; ++v) {
            const Hops here = eccentricity(v);
            found = {std::min(found.least, here), std::max(found.most, here)};
            if (found.most == 3 && found.least == 2) return found;
        }
        return looks_at_all ? found : Extremes{Topology::radius(), Topology::diameter()};
    }

    Shape shape_;
    std::uint64_t layer_;  ///< links in a layer
    std::uint64_t layers_;
    std::uint64_t channels_;
    Port labels_in_use_;
    bool has_trunks_ = false;
    Divisor by_routers_;
    Divisor by_links_;
    Divisor by_layer_;
};

/// Reads A,H or A,H,G or A,H,G,T.
Dragonfly::Shape dragonfly_shape(const Parameters& given) {
    constexpr Parameters::Wanted routers{"routers in a group", 1, nodes_max};
    constexpr Parameters::Wanted links{"global links of a router", 1, nodes_max};
    constexpr Parameters::Wanted groups{"groups", 2, nodes_max};
    const auto commas = std::ranges::count(given.text(), ',');
    if (commas == 2) {
        const auto [a, h, g] = given.numbers({routers, links, groups});
        return {a, h, g, Dragonfly::palm_tree};
    }
    if (commas == 3) {
        const auto [a, h, g, t] = given.numbers(
            {routers, links, groups, {"arrangement (0 palm tree, 1 absolute, 2 circulant)", 0, Dragonfly::circulant}});
        return {a, h, g, static_cast<Dragonfly::Arrangement>(t)};
    }
    if (commas != 1)
        given.refuse(fmt::format("{} where 2 to 4 are wanted: dragonfly:A,H[,G[,T]]",
                                 counted(static_cast<std::uint64_t>(commas + 1), "number")));
    const auto [a, h] = given.numbers({routers, links});
    given.require_nodes(static_cast<double>(a) * (static_cast<double>(a) * static_cast<double>(h) + 1));
    return {a, h, a * h + 1, Dragonfly::palm_tree};
}

std::shared_ptr<const Topology> build_dragonfly(const Parameters& given) {
    constexpr double looks_max = 0x1p24;  // at links, for trunks
    const Dragonfly::Shape shape = dragonfly_shape(given);
    const auto [routers, links, groups, arrangement] = shape;
    given.require_nodes(static_cast<double>(routers) * static_cast<double>(groups));
    given.require_ports(routers - 1 + links);
    if (static_cast<double>(routers * groups) * static_cast<double>(routers - 1 + links) >= 0x1p64)
        given.does_not_fit(fmt::format("{} nodes of {} ports have more channels than 64 bits count", routers * groups,
                                       routers - 1 + links));
    if (groups - 1 > routers * links)
        given.refuse(fmt::format("{} groups; want at most {} (A H + 1), since each pair of groups has a link", groups,
                                 routers * links + 1));
    const double looks = static_cast<double>(groups) * static_cast<double>(routers) * static_cast<double>(links);
    if (shape.may_have_trunks() && looks > looks_max)
        given.does_not_fit(
            fmt::format("{} global links a router between {} groups are too many to find trunks among; "
                        "want more than {} groups",
                        links, groups, links));
    return with_trunks(std::make_shared<const Dragonfly>(shape));
}

/// Some of the members without trunks: of as few global links as there can be, and of twice as many.
std::vector<std::string> members_dragonfly(NodeId nodes) {
    std::vector<std::string> found;
    const auto add = [&](std::uint64_t routers, std::uint64_t links, std::uint64_t groups, std::uint64_t arrangement) {
        const Dragonfly::Shape shape{routers, links, groups, static_cast<Dragonfly::Arrangement>(arrangement)};
        if (shape.is_first())
            found.push_back(fmt::format("{},{}", routers, links));
        else if (!Dragonfly(shape).has_trunks())
            found.push_back(fmt::format("{},{},{},{}", routers, links, groups, arrangement));
    };
    for (std::uint64_t routers = 1; 2 * routers <= nodes; ++routers) {
        const std::uint64_t groups = nodes / routers;
        if (groups * routers != nodes) continue;
        const std::uint64_t fewest = (groups - 1 + routers - 1) / routers;
        if (fewest * routers == groups - 1) add(routers, fewest, groups, Dragonfly::palm_tree);
        if (routers == 1) continue;  // a complete graph
        add(routers, fewest, groups, 1 + (routers + groups) % 2);
        add(routers, 2 * fewest, groups, (routers + groups) % 3);
    }
    return found;
}

}  // namespace

std::vector<TopologyFamily> families_in_dragonfly() {
    return {{.name = "dragonfly",
             .form = "dragonfly:A,H[,G[,T]]",
             .about = "G groups of A routers wired to each other, each with H links to other groups, in arrangement T",
             .build = build_dragonfly,
             .members = members_dragonfly,
             .drawn = DrawnAs::groups}};
}

}  // namespace kport
