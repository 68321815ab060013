/// @file dost.cpp   The dimension-ordered spanning tree of meshes and tori (model.md section 3.6).
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "algorithms/broadcast/broadcast.hpp"
#include "algorithms/support/fit.hpp"

namespace kport {

namespace {

/// A way in which a node forwards: a port, and how far the last node behind it is.
struct Arm {
    Port port;
    Hops height;
};

/// How far the nodes lie that a node has to cover in the dimensions after i: sum of the longer arms of the source.
Hops cover_after(const Grid& grid, NodeId source, int i) {
    Hops cover = 0;
    for (int j = i + 1; j < grid.dimensions(); ++j) {
        const Grid::Arms arms = grid.arms(j, grid.coordinate(source, j));
        cover += std::max(arms.plus, arms.minus);
    }
    return cover;
}

/// The arms of v: on along the dimension in which it was reached, and both ways along all later ones.
std::vector<Arm> arms_of(const Grid& grid, NodeId source, NodeId v) {
    std::vector<Arm> arms;
    const auto add = [&](int i, NodeId plus, NodeId minus) {
        const Hops after = cover_after(grid, source, i);
        if (plus > 0) arms.push_back({grid.plus(i), plus + after});
        if (minus > 0) arms.push_back({grid.minus(i), minus + after});
    };
    int reached_in = grid.dimensions() - 1;
    while (reached_in >= 0 && grid.coordinate(v, reached_in) == grid.coordinate(source, reached_in)) --reached_in;
    if (reached_in >= 0) {
        const NodeId from = grid.coordinate(source, reached_in);
        const NodeId steps_plus =
            (grid.coordinate(v, reached_in) + grid.side(reached_in) - from) % grid.side(reached_in);
        const Grid::Arms whole = grid.arms(reached_in, from);
        if (steps_plus <= whole.plus)
            add(reached_in, whole.plus - steps_plus, 0);
        else
            add(reached_in, 0, whole.minus - (grid.side(reached_in) - steps_plus));
    }
    for (int i = reached_in + 1; i < grid.dimensions(); ++i) {
        const Grid::Arms whole = grid.arms(i, grid.coordinate(source, i));
        add(i, whole.plus, whole.minus);
    }
    return arms;
}

enum class Order : std::uint8_t { farthest_first, nearest_first };

/// One-to-all broadcast along the dimension-ordered spanning tree.
///
/// Machine   mesh, torus, line, ring, store-and-forward, any k
/// Gives     every node holds the source's packet
/// Costs     all-port: rounds exc(s); 1-port, farthest-first: mesh exc(s) + number of sides >= 3 in which s is exactly
///           central, torus sum ceil(n_i / 2); work N - 1
/// Idea      Received in dimension i: forward on in i and start both directions of all later dimensions. Where the ports
///           do not suffice the arm with the farthest last node goes first. On this tree height, number of nodes and
///           broadcast time order the arms alike (model.md section 3.6), and the height needs no table.
/// Source    model.md section 3.6
Program broadcast_along_dost(Node& self, const Grid& grid, NodeId source, Order order, Packet packet) {
    if (self.id() != source) {
        const Arrival arrival = co_await self.receive();
        packet = arrival.packet();
    }
    std::vector<Arm> arms = arms_of(grid, source, self.id());
    std::stable_sort(arms.begin(), arms.end(), [order](const Arm& a, const Arm& b) {
        return order == Order::farthest_first ? a.height > b.height : a.height < b.height;
    });
    for (const Arm& arm : arms) co_await self.send(arm.port, packet);
}

std::optional<std::string> misfit(const Machine& machine, const Request&, const AlgorithmOptions& options) {
    return first_of({unless(as_grid(machine) != nullptr, "needs a mesh, torus, line or ring"), needs_sf(machine),
                     takes_no_options(options)});
}

template <Order order>
Start make(const Machine& machine, const Request& request, const AlgorithmOptions&) {
    const Grid* grid = as_grid(machine);
    const NodeId source = request.root;
    return {[topology = machine.topology, grid, source](Node& self) {
                return broadcast_along_dost(self, *grid, source, order, Packet(0));
            },
            {source}};
}

/// Rounds that one port adds to the eccentricity: a source with two equally long arms in a dimension starts one of them
/// a round late, and in a ring of odd side it always has two.
std::uint64_t late_dimensions(const Grid& grid, NodeId source) {
    std::uint64_t late = 0;
    for (int i = 0; i < grid.dimensions(); ++i) {
        const Grid::Arms arms = grid.arms(i, grid.coordinate(source, i));
        if (arms.plus == arms.minus && arms.plus > 0) ++late;
    }
    return late;
}

ExpectedCost expect(const Machine& machine, const Request& request, const AlgorithmOptions&) {
    const Grid& grid = *as_grid(machine);
    const NodeId nodes = grid.nodes();
    const Hops exc = grid.eccentricity(request.root);
    const std::uint64_t late = machine.widest() == 1 ? late_dimensions(grid, request.root) : 0;
    const std::uint64_t rounds = exc + late;
    ExpectedCost cost{rounds, nodes - 1, rounds, {}};
    cost.derivation.push_back(
        fmt::format("the last node is {} links away: the longer arm of each dimension, added up", exc));
    cost.derivation.push_back(
        machine.widest() == 1
            ? fmt::format("one port starts the second of two equally long arms a round late: {} dimension{} of this "
                          "kind, {} + {} = {} rounds",
                          late, late == 1 ? "" : "s", exc, late, rounds)
            : fmt::format("with two ports or more no arm on a longest way starts late: {} rounds", rounds));
    cost.derivation.push_back(
        fmt::format("every node but the source receives once, over one link: work {}", nodes - 1));
    return cost;
}

ExpectedCost expect_nearest_first(const Machine& machine, const Request&, const AlgorithmOptions&) {
    return {std::nullopt,
            machine.topology->nodes() - 1,
            std::nullopt,
            {"the nearest arm first: the farthest nodes start last; no closed form is known",
             "with all ports nothing waits and the order does not matter"}};
}

}  // namespace

Algorithm broadcast_dost() {
    return {Operation::broadcast,
            "dost",
            "dimension-ordered spanning tree: on along the dimension it came by, both ways along later ones, farthest "
            "arm first",
            "mesh, torus, line, ring, SF, any k",
            "model section 3.6",
            "",
            misfit,
            make<Order::farthest_first>,
            expect};
}

Algorithm broadcast_dost_nearest_first() {
    Algorithm row{Operation::broadcast,
                  "dost-nearest-first",
                  "the same tree, nearest arm first: shows what the order is worth",
                  "mesh, torus, line, ring, SF, any k",
                  "model section 3.6",
                  "",
                  misfit,
                  make<Order::nearest_first>,
                  expect_nearest_first};
    row.by_default = false;
    return row;
}

}  // namespace kport
