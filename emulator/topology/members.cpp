#include "emulator/topology/members.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/complete.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {

RankedNodes::RankedNodes(std::vector<NodeId> nodes) : nodes_(std::move(nodes)) {
    ranks_.resize(nodes_.size());
    std::iota(ranks_.begin(), ranks_.end(), NodeId{0});
    std::ranges::sort(ranks_, {}, [&](NodeId rank) { return nodes_[rank]; });
    for (const NodeId rank : ranks_) ascending_.push_back(nodes_[rank]);
}

NodeId RankedNodes::rank(NodeId v) const {
    const auto at = std::ranges::lower_bound(ascending_, v);
    return at != ascending_.end() && *at == v ? ranks_[static_cast<std::size_t>(at - ascending_.begin())] : no_node;
}

namespace {

constexpr std::uint64_t members_max = std::uint64_t{1} << 26;

/// The graph of some nodes and the links among them, by rank. Ports keep their labels, and those to other nodes lead nowhere.
///
/// Memory   16 bytes a label and 8 a node.
class InducedGraph final : public Topology {
  public:
    InducedGraph(const Topology& whole, const RankedNodes& members, std::string spec)
        : Topology(std::move(spec), members.count(), whole.ports()), first_(members.count() + 1) {
        for (NodeId v = 0; v < nodes(); ++v) {
            const NodeId outer = members.node(v);
            for (Port p = 0, end = whole.labels(outer); p < end; ++p) {
                LinkEnd there = whole.across(outer, p);
                there.node = there.node == no_node ? no_node : members.rank(there.node);
                if (there.node != no_node) ++channels_;
                ends_.push_back(there.node == no_node ? LinkEnd{} : there);
            }
            first_[v + 1] = ends_.size();
        }
        for (NodeId v = 0; v < nodes(); ++v) max_degree_ = std::max(max_degree_, degree(v));
    }

    [[nodiscard]] Port labels(NodeId v) const override { return static_cast<Port>(first_[v + 1] - first_[v]); }
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        return p < labels(v) ? ends_[first_[v] + p] : LinkEnd{};
    }
    [[nodiscard]] Port degree(NodeId v) const override {
        const auto begin = ends_.begin() + static_cast<std::ptrdiff_t>(first_[v]);
        const auto end = ends_.begin() + static_cast<std::ptrdiff_t>(first_[v + 1]);
        return static_cast<Port>(std::count_if(begin, end, [](const LinkEnd& link) { return link.node != no_node; }));
    }
    [[nodiscard]] Port max_degree() const override { return max_degree_; }
    [[nodiscard]] std::uint64_t channels() const override { return channels_; }

  private:
    std::vector<std::uint64_t> first_;  ///< index of a node's first label; N + 1 entries
    std::vector<LinkEnd> ends_;
    std::uint64_t channels_ = 0;
    Port max_degree_ = 0;
};

/// Returns the first node that node 0 does not reach; nothing if all are connected.
std::optional<NodeId> cut_off_from_0(const Topology& graph) {
    std::vector<bool> found(graph.nodes(), false);
    std::vector<NodeId> open{0};
    found[0] = true;
    while (!open.empty()) {
        const NodeId v = open.back();
        open.pop_back();
        for_each_neighbour(graph, v, [&](NodeId w) {
            if (found[w]) return;
            found[w] = true;
            open.push_back(w);
        });
    }
    const auto lost = std::ranges::find(found, false);
    return lost == found.end() ? std::nullopt : std::optional(static_cast<NodeId>(lost - found.begin()));
}

[[noreturn]] void refuse_parted(const Topology& whole, NodeId from, NodeId to) {
    throw RequestError(fmt::format("no way among members from {} to {}", whole.name(from), whole.name(to)));
}

// --------------------------------------------------------------------------------------------------- members of a family

/// Calls visit(sides) for each way to write a number as a product of sides of at least 2, in their order.
template <class Visit>
void for_each_product(NodeId number, std::vector<NodeId>& sides, const Visit& visit) {
    constexpr std::size_t dimensions_max = 8;
    if (number == 1) return visit(sides);
    if (sides.size() == dimensions_max) return;
    for (NodeId side = 2; side <= number; ++side) {
        if (side * side > number && side != number) side = number;  // it has no larger divisor but itself
        if (number % side != 0) continue;
        sides.push_back(side);
        for_each_product(number / side, sides, visit);
        sides.pop_back();
    }
}

/// Returns the families that members may be, those of the whole machine's own family first.
std::vector<std::shared_ptr<Topology>> likely_families(const Topology& whole, NodeId members) {
    std::vector<std::shared_ptr<Topology>> cubes;
    std::vector<std::shared_ptr<Topology>> grids;
    if (std::has_single_bit(members))
        cubes.push_back(std::make_shared<Hypercube>(static_cast<std::uint64_t>(std::countr_zero(members))));
    std::vector<NodeId> sides;
    const auto add_grids = [&](const std::vector<NodeId>& of) {
        const bool is_line = of.size() == 1;
        const bool wraps = std::ranges::any_of(of, [](NodeId side) { return side > 2; });
        grids.push_back(std::make_shared<Grid>(is_line ? GridKind::line : GridKind::mesh, of));
        if (wraps) grids.push_back(std::make_shared<Grid>(is_line ? GridKind::ring : GridKind::torus, of));
    };
    if (members > 1) for_each_product(members, sides, add_grids);
    std::vector<std::shared_ptr<Topology>> all;
    const auto add = [&](const auto& some) { all.insert(all.end(), some.begin(), some.end()); };
    const std::vector<std::shared_ptr<Topology>> complete{std::make_shared<Complete>(members)};
    const bool is_grid = dynamic_cast<const Grid*>(&whole) != nullptr;
    const bool is_cube = dynamic_cast<const Hypercube*>(&whole) != nullptr;
    if (!is_grid && !is_cube) add(complete);
    if (is_grid) add(grids);
    add(cubes);
    if (!is_grid) add(grids);
    if (is_grid || is_cube) add(complete);
    return all;
}

/// Whether two graphs of the same nodes have the same links.
bool have_same_links(const Topology& family, const Topology& graph) {
    if (family.channels() != graph.channels()) return false;
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        bool same = true;
        for_each_neighbour(family, v, [&](NodeId w) { same = same && graph.port_to(v, w) != no_port; });
        if (!same) return false;
    }
    return true;
}

/// Whether no way through other nodes is shorter than those among members. Messages that may cross any node are then as far apart
/// in both machines.
bool keeps_distances(const Topology& family, const Topology& whole, const RankedNodes& members) {
    constexpr NodeId looked_at = 2048;
    if (members.count() > looked_at) return false;
    for (NodeId v = 0; v < members.count(); ++v)
        for (NodeId w = 0; w < v; ++w)
            if (family.distance(v, w) != whole.distance(members.node(v), members.node(w))) return false;
    return true;
}

// ------------------------------------------------------------------------------------------------ members among switches

std::string members_of_machine(std::string_view members, MembersJoinedBy joined_by, std::string_view whole) {
    return fmt::format("members:{};{}{}", members, joined_by == MembersJoinedBy::paths ? "paths;" : "", whole);
}

/// A machine of members is none of the family of the larger machine.
std::string spec_of_members(const Topology& whole, const std::vector<NodeId>& members, MembersJoinedBy joined_by) {
    constexpr std::size_t listed_max = 64;
    const bool are_few = members.size() <= listed_max;
    return members_of_machine(are_few ? list_of_nodes(members) : fmt::format("{} nodes", members.size()), joined_by,
                              whole.spec());
}

/// Returns the fabric whose hosts are the members, by rank, and whose switches are `switches`, in their order.
std::shared_ptr<StoredFabric> fabric_of(const Topology& wires, const RankedNodes& nodes, NodeId hosts,
                                        MembersJoinedBy joined_by) {
    constexpr std::uint64_t channels_max = std::uint64_t{1} << 26;
    if (wires.channels() > channels_max)
        throw DoesNotFit(
            fmt::format("{} has {} channels; a machine of members with switches is stored, and at most {} "
                        "fit",
                        wires.spec(), wires.channels(), channels_max));
    const auto* fabric = dynamic_cast<const Fabric*>(&wires);
    std::vector<StoredFabric::Link> links;
    for (NodeId v = 0; v < nodes.count(); ++v) {
        const NodeId outer = nodes.node(v);
        for (Port port = 0, end = wires.labels(outer); port < end; ++port) {
            const LinkEnd there = wires.across(outer, port);
            const NodeId w = there.node == no_node ? no_node : nodes.rank(there.node);
            if (w == no_node)
                links.push_back({v, port, v, port, 0});  // the label stays
            else if (v < w)
                links.push_back({v, port, w, there.port, fabric == nullptr ? 1 : fabric->capacity(outer, port)});
        }
    }
    std::vector<NodeId> members(nodes.nodes().begin(), nodes.nodes().begin() + static_cast<std::ptrdiff_t>(hosts));
    return std::make_shared<StoredFabric>(
        StoredFabric::Shape{spec_of_members(wires, members, joined_by), hosts, nodes.count() - hosts}, links);
}

/// Returns the machine of members that are joined through switches: those of the whole, and for paths all other nodes.
std::shared_ptr<const Topology> hosts_among_switches(const std::shared_ptr<const Topology>& whole,
                                                     std::vector<NodeId> members, MembersJoinedBy joined_by) {
    const Topology& wires = whole->wires();
    const RankedNodes hosts(members);
    for (NodeId v = 0; v < wires.nodes(); ++v) {
        const bool is_host = v < whole->nodes();
        if (is_host ? joined_by == MembersJoinedBy::paths && !hosts.has(v) : true) members.push_back(v);
    }
    const std::shared_ptr<const Topology> outer(whole, &wires);  // shares its ownership
    auto membership = std::make_shared<const Membership>(Membership{outer, RankedNodes(std::move(members)), joined_by});
    const std::shared_ptr<StoredFabric> fabric = fabric_of(wires, membership->nodes, hosts.count(), joined_by);
    if (const auto lost = cut_off_from_0(*fabric); lost && *lost < hosts.count())
        refuse_parted(*whole, hosts.node(0), hosts.node(*lost));
    fabric->belong_to(membership);
    std::shared_ptr<const Topology> graph =
        hosts_of(fabric, std::make_shared<const Membership>(Membership{whole, hosts, joined_by}));
    if (const auto lost = cut_off_from_0(*graph)) refuse_parted(*whole, hosts.node(0), hosts.node(*lost));
    return graph;
}

}  // namespace

std::shared_ptr<const Topology> machine_of_members(const std::shared_ptr<const Topology>& whole,
                                                   std::vector<NodeId> nodes, MembersJoinedBy joined_by) {
    if (nodes.size() > members_max)
        throw DoesNotFit(fmt::format("{} members; a machine has at most {}", nodes.size(), members_max));
    if (whole->fabric() != nullptr) return hosts_among_switches(whole, std::move(nodes), joined_by);
    const auto membership =
        std::make_shared<const Membership>(Membership{whole, RankedNodes(std::move(nodes)), joined_by});
    const RankedNodes& members = membership->nodes;
    const bool is_complete = dynamic_cast<const Complete*>(whole.get()) != nullptr;
    std::shared_ptr<Topology> machine;
    std::shared_ptr<InducedGraph> induced;
    if (is_complete) {
        machine = std::make_shared<Complete>(members.count());
    } else {
        induced = std::make_shared<InducedGraph>(*whole, members, spec_of_members(*whole, members.nodes(), joined_by));
        for (const std::shared_ptr<Topology>& family : likely_families(*whole, members.count())) {
            const bool fits = have_same_links(*family, *induced) &&
                              (joined_by == MembersJoinedBy::links || keeps_distances(*family, *whole, members));
            if (!fits) continue;
            machine = family;
            break;
        }
    }
    if (machine == nullptr) {
        if (joined_by == MembersJoinedBy::paths && members.count() < whole->nodes())
            return hosts_among_switches(whole, members.nodes(), joined_by);
        if (const auto lost = cut_off_from_0(*induced)) refuse_parted(*whole, members.node(0), members.node(*lost));
        machine = induced;
    }
    machine->belong_to(membership);
    return machine;
}

const Topology& named_machine(const Topology& graph) {
    return graph.membership() == nullptr ? graph : named_machine(*graph.membership()->whole);
}

std::string spec_with_members(const Topology& graph) {
    const Membership* const membership = graph.membership();
    return membership == nullptr ? graph.spec()
                                 : members_of_machine(list_of_nodes(membership->nodes.nodes()), membership->joined_by,
                                                      spec_with_members(*membership->whole));
}

std::vector<NodeId> named_numbers(const Topology& graph, const std::vector<NodeId>& nodes) {
    std::vector<NodeId> numbers;
    for (const NodeId v : nodes) numbers.push_back(graph.number(v));
    return numbers;
}

std::string list_of_nodes(const std::vector<NodeId>& nodes) {
    std::vector<std::string> ranges;
    for (std::size_t i = 0; i < nodes.size();) {
        std::size_t end = i + 1;
        while (end < nodes.size() && nodes[end] == nodes[end - 1] + 1) ++end;
        if (end - i < 3) end = i + 1;
        ranges.push_back(end - i < 3 ? fmt::to_string(nodes[i]) : fmt::format("{}-{}", nodes[i], nodes[end - 1]));
        i = end;
    }
    return fmt::format("{}", fmt::join(ranges, ","));
}

}  // namespace kport
