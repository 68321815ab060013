#include "stress/drawing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kport {

namespace {

/// Sides whose product is at most `most`, small ones oftener than large ones.
std::vector<NodeId> draw_sides(Dice& dice, std::size_t count, NodeId most) {
    std::vector<NodeId> sides;
    for (std::size_t i = 0; i < count; ++i) {
        const NodeId side = dice.between(1, dice.between(1, most));
        sides.push_back(side);
        most /= side;
    }
    dice.shuffle(sides);
    return sides;
}

std::string grid(std::string_view family, const std::vector<NodeId>& sides) {
    return fmt::format("{}:{}", family, fmt::join(sides, "x"));
}

/// Calls visit(sides) for all lists of `count` sides of at least 2 whose product is n.
template <class Visit>
void factorizations(NodeId n, std::size_t count, std::vector<NodeId>& sides, const Visit& visit) {
    if (count == 1) {
        if (n < 2) return;
        sides.push_back(n);
        visit(sides);
        sides.pop_back();
        return;
    }
    for (NodeId side = 2; side <= n / 2; ++side) {
        if (n % side != 0) continue;
        sides.push_back(side);
        factorizations(n / side, count - 1, sides, visit);
        sides.pop_back();
    }
}

}  // namespace

std::string draw_topology(Dice& dice, NodeId most) {
    const auto size = [&] { return dice.between(1, dice.between(1, most)); };
    const auto log = [](NodeId n) { return static_cast<unsigned>(std::bit_width(n)) - 1; };
    switch (dice.below(9)) {
        case 0: return fmt::format("hypercube:{}", dice.between(0, log(most)));
        case 1: return fmt::format("line:{}", size());
        case 2: return fmt::format("ring:{}", size());
        case 3: return fmt::format("complete:{}", size());
        case 4: return fmt::format("cbt:{}", dice.between(0, log(most + 1) - 1));
        case 5: return grid("mesh", draw_sides(dice, 2, most));
        case 6: return grid("torus", draw_sides(dice, 2, most));
        case 7: return grid("mesh", draw_sides(dice, 3, most));
        default: return grid("torus", draw_sides(dice, 3, most));
    }
}

std::vector<std::string> topologies_of(NodeId nodes) {
    std::vector<std::string> all = {fmt::format("line:{}", nodes), fmt::format("ring:{}", nodes),
                                    fmt::format("complete:{}", nodes)};
    if (std::has_single_bit(nodes)) all.push_back(fmt::format("hypercube:{}", std::bit_width(nodes) - 1));
    if (std::has_single_bit(nodes + 1)) all.push_back(fmt::format("cbt:{}", std::bit_width(nodes) - 1));
    std::vector<NodeId> sides;
    for (const std::size_t count : {2U, 3U})
        factorizations(nodes, count, sides, [&](const std::vector<NodeId>& found) {
            all.push_back(grid("mesh", found));
            all.push_back(grid("torus", found));
        });
    return all;
}

Case draw_case(Dice& dice, Operation operation, NodeId most) {
    const auto one_of = [&](auto... values) {
        const std::array all = {values...};
        return all[dice.below(all.size())];
    };
    Case c;
    c.machine.topology = make_topology(draw_topology(dice, most));
    c.machine.ports = one_of(PortLimit(1), PortLimit(1), PortLimit(2), PortLimit(3), PortLimit::all());
    c.machine.switching = one_of(Switching::store_and_forward, Switching::wormhole);
    c.machine.duplex = one_of(Duplex::full, Duplex::full, Duplex::full, Duplex::half);
    c.machine.combining = one_of(true, true, false);
    c.machine.policy = one_of(Policy::queue, Policy::queue, Policy::strict);
    c.machine.costs = {1, static_cast<double>(dice.below(4)) / 4, static_cast<double>(dice.below(3)) / 1024};
    c.request.operation = operation;
    c.request.root = dice.below(c.topology().nodes());
    c.request.packet_bytes = one_of(std::uint64_t{8}, std::uint64_t{8}, std::uint64_t{1}, std::uint64_t{24});
    if (is_reduction(operation)) c.request.packet_bytes = one_of(std::uint64_t{8}, std::uint64_t{24});
    c.seed = dice.word() >> 32;
    return c;
}

void draw_options(Dice& dice, const Algorithm& algorithm, Case& c) {
    if (is_reduction(algorithm.operation)) {
        Reduction& reduction = c.options.reduction;
        constexpr std::array operators = {Operator::sum, Operator::min, Operator::max, Operator::exclusive_or};
        reduction.op = dice.happens(0.5) ? Operator::concat : dice.one_of(std::span<const Operator>(operators));
        if (reduction.op == Operator::concat) reduction.type = ElementType::text;
        if (misfit_of(algorithm, c.machine, c.request, c.options)) reduction = {};
    }
    if (dice.happens(0.5)) return;
    // Most algorithms take neither; those that do say so.
    Case with = c;
    if (dice.happens(0.5)) {
        with.options.keep = dice.happens(0.5) ? Keep::smaller : Keep::greater;
    } else {
        const std::string& spec = c.topology().spec();
        with.options.dimensions.resize(1 + static_cast<std::size_t>(std::ranges::count(spec, 'x')));
        std::iota(with.options.dimensions.begin(), with.options.dimensions.end(), 0U);
        dice.shuffle(with.options.dimensions);
    }
    if (!misfit_of(algorithm, with.machine, with.request, with.options)) c = with;
}

}  // namespace kport
