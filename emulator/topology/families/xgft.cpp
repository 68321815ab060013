/// @file xgft.cpp   Trees of switches: extended generalized fat trees and the machines that are such trees.
#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// The numbers M_1..M_h, W_1..W_h, C_1..C_h.
struct TreeShape {
    std::vector<NodeId> children;    ///< M: of a node of level i, in level i - 1
    std::vector<NodeId> parents;     ///< W: of a node of level i - 1, in level i
    std::vector<NodeId> capacities;  ///< C: of the trunks between them
};

/// Nodes of level l are words x_h..x_1 of digits, x_i < W_i for i <= l, x_i < M_i for i > l, x_1 the fastest; level 0
/// are the hosts, and levels are numbered from there. A node is joined to those of the next level whose words differ at
/// most in the digit of that level. Ports: those down by digit, then those up by digit.
/// Source    Ohring, Ibel, Das, Kumar, On generalized fat trees, IPPS (1995); trunks and routes (D-mod-k): Zahavi (2010)
class TreeOfSwitches final : public Fabric {
  public:
    struct Sizes {
        std::vector<NodeId> of_level;
        NodeId switches = 0;
        Port ports = 0;
    };

    TreeOfSwitches(std::string spec, TreeShape shape, const Sizes& sizes)
        : Fabric(std::move(spec), sizes.of_level.front(), sizes.switches, sizes.ports), shape_(std::move(shape)),
          height_(shape_.children.size()) {
        NodeId first = 0;
        for (std::size_t l = 0; l <= height_; ++l) {
            Level level{first, {}};
            NodeId stride = 1;
            for (std::size_t i = 0; i < height_; ++i) {
                level.strides.push_back(stride);
                stride *= radix(l, i);
            }
            first += sizes.of_level[l];
            levels_.push_back(std::move(level));
        }
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const std::size_t l = level_of(v);
        if (p < down_ports(l)) {
            const NodeId child = with_digit(v, l, l - 1, l - 1, p);
            return {child, static_cast<Port>(down_ports(l - 1) + digit(v, l, l - 1))};
        }
        const NodeId up = p - down_ports(l);
        if (up >= up_ports(l)) return {};
        return {with_digit(v, l, l + 1, l, up), static_cast<Port>(digit(v, l, l))};
    }
    [[nodiscard]] Port labels(NodeId v) const override {
        const std::size_t l = level_of(v);
        return static_cast<Port>(down_ports(l) + up_ports(l));
    }
    [[nodiscard]] Port degree(NodeId v) const override { return labels(v); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return 2 * sum_of_links(false); }
    [[nodiscard]] std::uint64_t capacities() const override { return 2 * sum_of_links(true); }
    [[nodiscard]] std::uint64_t capacity(NodeId v, Port p) const override {
        const std::size_t l = level_of(v);
        if (p >= down_ports(l) + up_ports(l)) return 0;
        return shape_.capacities[p < down_ports(l) ? l - 1 : l];
    }
    [[nodiscard]] std::uint64_t max_width() const override { return shape_.parents[0] * shape_.capacities[0]; }

    [[nodiscard]] bool joins_all_hosts() const override { return true; }
    /// Up to the level of the highest digit in which they differ, and down.
    [[nodiscard]] std::optional<Hops> one_message(NodeId from, NodeId to) const override {
        const std::size_t l = level_of(from);
        std::size_t top = height_;
        while (top > l && digit(from, l, top - 1) == digit(to, 0, top - 1)) --top;
        return 2 * top - l;
    }
    /// Up by parent floor(d / (W_1..W_{l-1})) mod W_l, where d is the target, until it is below, then down.
    [[nodiscard]] Port route_through_switches(NodeId at, NodeId to) const override {
        const std::size_t l = level_of(at);
        bool is_below = true;
        for (std::size_t i = l; i < height_; ++i) is_below &= digit(at, l, i) == digit(to, 0, i);
        if (is_below) return l == 0 ? no_port : static_cast<Port>(digit(to, 0, l - 1));
        NodeId below = 1;
        for (std::size_t i = 0; i < l; ++i) below *= shape_.parents[i];
        return static_cast<Port>(down_ports(l) + to / below % shape_.parents[l]);
    }
    /// Between hosts, as route_through_switches(): no path through hosts is shorter.
    [[nodiscard]] Port route(NodeId at, NodeId to) const override {
        return is_switch(to) ? Topology::route(at, to) : route_through_switches(at, to);
    }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (is_switch(w)) return is_switch(v) ? Topology::distance(v, w) : *one_message(w, v);
        return *one_message(v, w);
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return nodes() == 1; }
    /// The subtrees: the nodes of levels up to l whose digits above l are the same.
    [[nodiscard]] std::vector<std::vector<NodeId>> parts() const override {
        std::vector<std::vector<NodeId>> found;
        for (std::size_t l = 1; l < height_; ++l) {
            const NodeId hosts_each = levels_[0].strides[l];
            const std::size_t first = found.size();
            found.resize(first + hosts() / hosts_each);
            for (NodeId v = 0; v < nodes(); ++v) {
                const std::size_t level = level_of(v);
                if (level <= l) found[first + (v - levels_[level].first) / levels_[level].strides[l]].push_back(v);
            }
        }
        return found;
    }
    [[nodiscard]] bool bipartite() const override { return true; }

  private:
    struct Level {
        NodeId first;
        std::vector<NodeId> strides;  ///< of the digits, x_1 first
    };

    [[nodiscard]] NodeId radix(std::size_t level, std::size_t i) const {
        return i < level ? shape_.parents[i] : shape_.children[i];
    }
    [[nodiscard]] std::size_t level_of(NodeId v) const {
        std::size_t l = 0;
        while (l < height_ && v >= levels_[l + 1].first) ++l;
        return l;
    }
    /// Returns digit x_{i+1} of node v of level l.
    [[nodiscard]] NodeId digit(NodeId v, std::size_t l, std::size_t i) const {
        return (v - levels_[l].first) / levels_[l].strides[i] % radix(l, i);
    }
    /// Returns the node of level `to` whose word is that of v of level l but for one digit.
    [[nodiscard]] NodeId with_digit(NodeId v, std::size_t l, std::size_t to, std::size_t i, NodeId x) const {
        NodeId w = levels_[to].first;
        for (std::size_t j = 0; j < height_; ++j) w += (j == i ? x : digit(v, l, j)) * levels_[to].strides[j];
        return w;
    }
    [[nodiscard]] NodeId down_ports(std::size_t l) const { return l == 0 ? 0 : shape_.children[l - 1]; }
    [[nodiscard]] NodeId up_ports(std::size_t l) const { return l == height_ ? 0 : shape_.parents[l]; }
    [[nodiscard]] std::uint64_t sum_of_links(bool with_capacity) const {
        std::uint64_t sum = 0;
        for (std::size_t l = 1; l <= height_; ++l) {
            const NodeId here = (l == height_ ? nodes() : levels_[l + 1].first) - levels_[l].first;
            sum += here * shape_.children[l - 1] * (with_capacity ? shape_.capacities[l - 1] : 1);
        }
        return sum;
    }

    TreeShape shape_;
    std::size_t height_;
    std::vector<Level> levels_;
};

std::shared_ptr<const Topology> tree_of_switches(const Parameters& given, const std::string& spec, TreeShape shape) {
    const std::size_t height = shape.children.size();
    if (shape.capacities.empty()) shape.capacities.assign(height, 1);
    TreeOfSwitches::Sizes sizes;
    double all = 0;
    double channels = 0;
    for (std::size_t l = 0; l <= height; ++l) {
        double nodes = 1;
        for (std::size_t i = 0; i < height; ++i)
            nodes *= static_cast<double>(i < l ? shape.parents[i] : shape.children[i]);
        all += nodes;
        given.require_nodes(all);
        sizes.of_level.push_back(static_cast<NodeId>(nodes));
        const std::uint64_t ports = (l == 0 ? 0 : shape.children[l - 1]) + (l == height ? 0 : shape.parents[l]);
        given.require_ports(ports);
        sizes.ports = std::max(sizes.ports, static_cast<Port>(ports));
        if (l > 0)
            channels +=
                2 * nodes * static_cast<double>(shape.children[l - 1]) * static_cast<double>(shape.capacities[l - 1]);
    }
    if (channels > static_cast<double>(std::uint64_t{1} << 62)) given.does_not_fit("its channels exceed 64 bits");
    sizes.switches = static_cast<NodeId>(all) - sizes.of_level.front();
    return hosts_of(std::make_shared<const TreeOfSwitches>(spec, std::move(shape), sizes));
}

constexpr std::uint64_t tree_number_max = std::uint64_t{1} << 32;
constexpr std::size_t tree_height_max = 40;

std::uint64_t number_of_tree(const Parameters& given, std::string_view text, std::string_view what) {
    const std::optional<std::uint64_t> number = to_count(text);
    if (!number || *number < 1 || *number > tree_number_max)
        given.refuse(fmt::format("{} {}: want a number from 1 to {}", what, quoted(text), tree_number_max));
    return *number;
}

std::vector<NodeId> numbers_of_levels(const Parameters& given, std::string_view text, std::string_view what) {
    std::vector<NodeId> found;
    for (const std::string_view part : split(text, 'x')) found.push_back(number_of_tree(given, part, what));
    return found;
}

std::shared_ptr<const Topology> build_xgft(const Parameters& given) {
    const std::vector<std::string_view> parts = split(given.text(), ',');
    if (parts.size() < 2 || parts.size() > 3)
        given.refuse("want children, parents, and perhaps capacities, such as xgft:4x4,1x2 or xgft:4x4,1x2,1x3");
    TreeShape shape{numbers_of_levels(given, parts[0], "children"), numbers_of_levels(given, parts[1], "parents"), {}};
    if (parts.size() == 3) shape.capacities = numbers_of_levels(given, parts[2], "capacity");
    const std::size_t height = shape.children.size();
    if (height > tree_height_max) given.refuse(fmt::format("{} levels; want at most {}", height, tree_height_max));
    if (shape.parents.size() != height || (!shape.capacities.empty() && shape.capacities.size() != height))
        given.refuse(fmt::format("children of {}, parents of {}; want as many levels in each part",
                                 counted(height, "level"), counted(shape.parents.size(), "level")));
    const bool has_trunks = std::ranges::any_of(shape.capacities, [](NodeId c) { return c != 1; });
    const std::string spec =
        fmt::format("xgft:{},{}{}{}", fmt::join(shape.children, "x"), fmt::join(shape.parents, "x"),
                    has_trunks ? "," : "", fmt::join(has_trunks ? shape.capacities : std::vector<NodeId>(), "x"));
    return tree_of_switches(given, spec, std::move(shape));
}

std::shared_ptr<const Topology> build_crossbar(const Parameters& given) {
    const NodeId hosts = given.number({"number of hosts", 1, tree_number_max});
    return tree_of_switches(given, fmt::format("crossbar:{}", hosts), {{hosts}, {1}, {}});
}

std::shared_ptr<const Topology> build_leaf_spine(const Parameters& given) {
    const std::vector<std::uint64_t> n = given.numbers(',', {"number", 1, tree_number_max});
    if (n.size() != 3 && n.size() != 4)
        given.refuse("want leaves, spines, hosts a leaf, and perhaps the capacity of trunks, such as leaf-spine:4,2,4");
    const bool has_trunks = n.size() == 4 && n[3] != 1;
    TreeShape shape{{n[2], n[0]}, {1, n[1]}, {1, n.size() == 4 ? n[3] : 1}};
    return tree_of_switches(
        given,
        fmt::format("leaf-spine:{},{},{}{}", n[0], n[1], n[2], has_trunks ? fmt::format(",{}", n[3]) : std::string()),
        std::move(shape));
}

std::shared_ptr<const Topology> build_fat_tree(const Parameters& given) {
    const std::uint64_t k = given.number({"number of ports of a switch", 2, tree_number_max});
    if (k % 2 != 0) given.refuse(fmt::format("{} ports a switch; want an even number", k));
    return tree_of_switches(given, fmt::format("fat-tree:{}", k), {{k / 2, k / 2, k}, {1, k / 2, k / 2}, {}});
}

std::shared_ptr<const Topology> build_mport_tree(const Parameters& given) {
    const auto [ports, height] =
        given.numbers({{"number of ports of a switch", 2, tree_number_max}, {"number of levels", 1, tree_height_max}});
    if (ports % 2 != 0) given.refuse(fmt::format("{} ports a switch; want an even number", ports));
    TreeShape shape{std::vector<NodeId>(height, ports / 2), std::vector<NodeId>(height, ports / 2), {}};
    shape.children.back() = ports;
    shape.parents.front() = 1;
    return tree_of_switches(given, fmt::format("mport-tree:{},{}", ports, height), std::move(shape));
}

std::shared_ptr<const Topology> build_kary_ntree(const Parameters& given) {
    const auto [k, height] =
        given.numbers({{"number of children", 1, tree_number_max}, {"number of levels", 1, tree_height_max}});
    TreeShape shape{std::vector<NodeId>(height, k), std::vector<NodeId>(height, k), {}};
    shape.parents.front() = 1;
    return tree_of_switches(given, fmt::format("kary-ntree:{},{}", k, height), std::move(shape));
}

std::vector<std::string> no_members(NodeId) { return {}; }

/// Returns the children of each level of a random tree of at most so many hosts, each at most 4.
std::vector<NodeId> draw_children(Dice& dice, NodeId most, std::size_t levels) {
    std::vector<NodeId> children;
    for (; levels > 0; --levels) {
        children.push_back(dice.between(1, std::min<NodeId>(4, most)));
        most /= children.back();
    }
    return children;
}

std::string draw_xgft(Dice& dice, NodeId most) {
    const std::size_t levels = dice.between(1, 3);
    std::vector<NodeId> parents;
    std::vector<NodeId> capacities;
    for (std::size_t l = 0; l < levels; ++l) {
        parents.push_back(dice.between(1, 2));
        capacities.push_back(dice.between(1, 2));
    }
    return fmt::format("{},{},{}", fmt::join(draw_children(dice, most, levels), "x"), fmt::join(parents, "x"),
                       fmt::join(capacities, "x"));
}

std::string draw_leaf_spine(Dice& dice, NodeId most) {
    const std::vector<NodeId> children = draw_children(dice, most, 2);
    return fmt::format("{},{},{},{}", children[1], dice.between(1, 3), children[0], dice.between(1, 2));
}

std::string draw_kary_ntree(Dice& dice, NodeId most) {
    const NodeId k = draw_children(dice, most, 1).front();
    std::uint64_t levels = dice.between(1, 3);
    while (power_of(k, levels) > most) --levels;
    return fmt::format("{},{}", k, levels);
}

}  // namespace

std::vector<TopologyFamily> families_in_xgft() {
    return {{.name = "crossbar",
             .form = "crossbar:N",
             .about = "N hosts on one switch",
             .build = build_crossbar,
             .members = no_members,
             .also = {"singleswitch", "bus", "hub"},
             .draw = [](Dice& dice, NodeId most) { return std::to_string(dice.between(1, dice.between(1, most))); }},
            {.name = "leaf-spine",
             .form = "leaf-spine:L,S,P[,C]",
             .about = "L leaf switches of P hosts each, each joined to S spine switches by trunks of capacity C (1)",
             .build = build_leaf_spine,
             .members = no_members,
             .also = {"clos"},
             .draw = draw_leaf_spine},
            {.name = "fat-tree",
             .form = "fat-tree:K",
             .about = "K^3/4 hosts below three levels of switches of K ports",
             .build = build_fat_tree,
             .members = no_members},
            {.name = "mport-tree",
             .form = "mport-tree:M,N",
             .about = "the m-port n-tree: 2 (M/2)^N hosts below N levels of switches of M ports",
             .build = build_mport_tree,
             .members = no_members},
            {.name = "kary-ntree",
             .form = "kary-ntree:K,N",
             .about = "the k-ary n-tree: K^N hosts below N levels of switches, K down and K up",
             .build = build_kary_ntree,
             .members = no_members,
             .draw = draw_kary_ntree},
            {.name = "xgft",
             .form = "xgft:M1xM2x..,W1xW2x..[,C1xC2x..]",
             .about =
                 "the extended generalized fat tree: M children, W parents, trunks of C, level by level from the hosts",
             .build = build_xgft,
             .members = no_members,
             .draw = draw_xgft}};
}

}  // namespace kport
