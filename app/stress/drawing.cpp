#include "app/stress/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/grid.hpp"

namespace kport {

namespace {

/// Draws a size that fits into memory and time if each node holds each packet.
std::uint64_t draw_bytes(Dice& dice, const Collective& collective, NodeId nodes) {
    constexpr std::uint64_t bytes_in_all = std::uint64_t{1} << 21;
    constexpr std::array<std::uint64_t, 12> sizes = {0, 1, 7, 13, 24, 63, 64, 65, 1000, 4096, 4097, 65536};
    constexpr std::uint64_t one_word = 8;  // what most user-defined programs send first
    if (dice.happens(0.4)) return one_word;
    const std::uint64_t most = bytes_in_all / (nodes * collective.packets(nodes));
    if (dice.happens(0.1)) return dice.between(0, most);
    std::uint64_t bytes = dice.one_of(std::span<const std::uint64_t>(sizes));
    while (bytes > most) bytes = dice.one_of(std::span<const std::uint64_t>(sizes));
    return bytes;
}

std::string draw_int64(Dice& dice) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr std::array<std::int64_t, 6> extremes = {Limits::min(), Limits::max(), -1, 0, 1, Limits::min() + 1};
    const std::int64_t value = dice.happens(0.5) ? dice.one_of(std::span<const std::int64_t>(extremes))
                                                 : static_cast<std::int64_t>(dice.word());
    return fmt::format("{}", value);
}

/// Numbers of similar size: each sum is rounded, so the order of combining shows in its last bits.
std::string draw_double_near_one(Dice& dice) {
    return fmt::format("{}", 1 + static_cast<double>(dice.word() >> 11) * 0x1p-53);
}

/// Numbers whose sums overflow, lose small terms, or are NaN.
std::string draw_double(Dice& dice) {
    using Limits = std::numeric_limits<double>;
    constexpr std::array<double, 12> extremes = {0.0,
                                                 -0.0,
                                                 1.0,
                                                 -1.0,
                                                 0x1p53,
                                                 -0x1p53,
                                                 Limits::max(),
                                                 -Limits::max(),
                                                 Limits::infinity(),
                                                 -Limits::infinity(),
                                                 5e-324,
                                                 -2.5e-308};
    constexpr int exponent_max = 1000;
    const double fraction = static_cast<double>(dice.word() >> 11) * 0x1p-53 - 0.5;
    const double value =
        dice.happens(0.5)
            ? dice.one_of(std::span<const double>(extremes))
            : std::ldexp(fraction, static_cast<int>(dice.below(std::uint64_t{2} * exponent_max)) - exponent_max);
    return fmt::format("{}", value);
}

std::string draw_text(Dice& dice) {
    constexpr std::string_view letters = "ab0.;' \"$";
    std::string text;
    for (std::uint64_t left = dice.below(12); left > 0; --left) text += letters[dice.below(letters.size())];
    return text;
}

/// x -> scale x + shift, modulo 2^32.
struct Affine {
    std::uint32_t scale;
    std::uint32_t shift;
};

/// Composition of maps: associative, not commutative, 8-byte values.
Reduction composition() {
    OwnOperator<Affine> composing;
    composing.name = "composition";
    composing.type = "affine map";
    composing.fold = [](const Affine& left, const Affine& right) {
        return Affine{left.scale * right.scale, left.scale * right.shift + left.shift};
    };
    composing.draw = [](Dice& dice) {
        return Affine{static_cast<std::uint32_t>(dice.word()) | 1U, static_cast<std::uint32_t>(dice.word())};
    };
    return Reduction::own<Affine>(std::move(composing));
}

Reduction draw_numbers(Dice& dice, NodeId nodes) {
    if (dice.happens(0.3)) return composition();
    Reduction reduction = draw_reduction(dice, nodes);
    while (reduction.type.is_text()) reduction = draw_reduction(dice, nodes);
    return reduction;
}

/// Draws one, a few, more than there are rounds, or one for each node.
std::uint64_t draw_packets(Dice& dice, NodeId nodes) {
    const std::array<std::uint64_t, 7> numbers = {1, 1, 1, 2, 5, 40, nodes};
    return dice.one_of(std::span<const std::uint64_t>(numbers));
}

}  // namespace

Reduction draw_reduction(Dice& dice, NodeId nodes) {
    constexpr NodeId values_max = 256;
    const std::array operators = {Operator::prod, Operator::min,  Operator::max, Operator::exclusive_or, Operator::band,
                                  Operator::bor,  Operator::land, Operator::lor, Operator::lxor};
    Reduction reduction;
    // Sums of doubles of similar size show the order of combining, concatenations show the sides.
    reduction.op = dice.happens(0.3)   ? Operator::concat
                   : dice.happens(0.5) ? Operator::sum
                                       : dice.one_of(std::span<const Operator>(operators));
    if (reduction.op == Operator::concat)
        reduction.type = ElementType::text;
    else if (dice.happens(0.7))
        reduction.type = reduction.op.on(ElementType::real) != nullptr ? ElementType::real : ElementType::int64;
    if (nodes > values_max || nodes == 1 || dice.happens(0.3)) return reduction;
    std::string (*const draw)(Dice&) = reduction.type == ElementType::int64  ? draw_int64
                                       : reduction.type != ElementType::real ? draw_text
                                       : dice.happens(0.2)                   ? draw_double
                                                                             : draw_double_near_one;
    for (NodeId v = 0; v < nodes; ++v) reduction.values.push_back(draw(dice));
    return reduction;
}

/// Draws targets; some nodes send nothing, and so others receive nothing.
Permutation draw_list(Dice& dice, NodeId nodes) {
    std::vector<NodeId> targets(nodes);
    std::iota(targets.begin(), targets.end(), NodeId{0});
    dice.shuffle(targets);
    for (NodeId& target : targets)
        if (dice.happens(0.2)) target = no_node;
    return listed_permutation(std::move(targets));
}

/// Draws a permutation that the machine has.
Permutation draw_permutation(Dice& dice, const Topology& topology) {
    const auto steps = static_cast<std::int64_t>(dice.below(topology.nodes()));
    const bool shifts = dice.happens(0.5);
    const bool back = dice.happens(0.3);
    Permutation stepping{shifts ? Permutation::Kind::shift : Permutation::Kind::move, back ? -steps : steps};
    const std::array others = {Permutation{Permutation::Kind::transpose, 0},
                               Permutation{Permutation::Kind::bit_reversal, 0}};
    Permutation drawn = others[dice.below(2)];
    if (dice.happens(0.3)) return stepping;
    if (dice.happens(0.4)) return draw_list(dice, topology.nodes());
    if (dice.happens(0.4)) {
        drawn = {stepping.kind, back ? -1 : 1};
        drawn.dimension = static_cast<int>(dice.below(3));
    }
    try {
        return fitted(drawn, topology);
    } catch (const RequestError&) {
        return stepping;
    }
}

/// Draws the graph of a machine that has the operation.
std::shared_ptr<const Topology> draw_graph(Dice& dice, const Operation& operation, NodeId most) {
    for (;;) {
        auto drawn = make_topology(draw_topology(dice, most));
        if (drawn->fabric() == nullptr || has_operation(*drawn, operation)) return drawn;
    }
}

/// Draws a limit of its switches for every fifth machine that has some.
Port draw_switch_limit(Dice& dice, const Topology& topology) {
    constexpr Port limit_max = 3;
    const bool has_switches = topology.wires().nodes() > topology.nodes();
    return has_switches && dice.happens(0.2) ? static_cast<Port>(dice.between(1, limit_max)) : no_port;
}

/// Draws links, and all links of nodes, that are slower or faster than others; null: none.
std::shared_ptr<const LinkPrices> draw_slow_parts(Dice dice, const Topology& topology) {
    constexpr std::array<double, 5> factors = {0.25, 0.5, 2, 3, 16};
    if (topology.channels() == 0 || dice.happens(0.7)) return nullptr;
    std::set<std::string> parts;
    for (std::uint64_t left = dice.between(1, 4); left > 0; --left) {
        const NodeId v = dice.below(topology.nodes());
        std::vector<NodeId> ends{no_node};  // all links of v
        for_each_neighbour(topology, v, [&](NodeId w) { ends.push_back(w); });
        const NodeId w = ends[dice.below(ends.size())];
        parts.insert(w == no_node ? fmt::format("={}", v) : fmt::format("={}--={}", std::min(v, w), std::max(v, w)));
    }
    PriceSources sources;
    for (const std::string& part : parts)
        sources.slow.push_back(fmt::format("{}={}", part, dice.one_of(std::span<const double>(factors))));
    return std::make_shared<const LinkPrices>(std::move(sources), topology);
}

bool has_operation(const Topology& topology, const Operation& operation) {
    try {
        (void)fitted(Collective::of(operation, 0, 0), topology);
        return true;
    } catch (const RequestError&) {
        return false;
    }
}

Case draw_case(Dice& dice, const Operation& operation, NodeId most, const std::shared_ptr<const Topology>& on,
               std::span<const Reduction> own) {
    const auto one_of = [&](auto... values) {
        const std::array all = {values...};
        return all[dice.below(all.size())];
    };
    Case c;
    c.machine.topology = on != nullptr ? on : draw_graph(dice, operation, most);
    c.machine.ports = one_of(PortLimit(1), PortLimit(1), PortLimit(2), PortLimit(3), PortLimit::all(), PortLimit(1, 2),
                             PortLimit(2, 1), PortLimit(1, no_port), PortLimit(3, 2));
    c.machine.switching = one_of(Switching::store_and_forward, Switching::wormhole);
    c.machine.duplex = one_of(Duplex::full, Duplex::full, Duplex::full, Duplex::half);
    c.machine.links = one_of(Duplex::full, Duplex::full, Duplex::full, Duplex::half);
    c.machine.pairwise = dice.happens(0.2);
    const bool is_fabric = c.topology().fabric() != nullptr;
    if (c.machine.duplex == Duplex::half || c.machine.pairwise)  // have one limit
        c.machine.ports = PortLimit(c.machine.ports.k());
    if (is_fabric) c.machine.switch_limit = draw_switch_limit(dice, c.topology());
    c.machine.noho = one_of(Noho::wide, Noho::wide, Noho::strict);
    c.machine.combining = one_of(true, true, false);
    c.machine.policy = one_of(Policy::queue, Policy::queue, Policy::strict);
    c.machine.costs = {1, static_cast<double>(dice.below(4)) / 4, static_cast<double>(dice.below(3)) / 1024};
    c.collective.operation = operation;
    c.collective.root = dice.below(c.topology().nodes());
    // Some algorithms use a root where the operation has none.
    if (!operation.rooted() && dice.happens(0.7)) c.collective.root = 0;
    if (operation.folds())
        c.options.reduction = !own.empty()        ? dice.one_of(own)
                              : dice.happens(0.1) ? composition()
                                                  : draw_reduction(dice, c.topology().nodes());
    c.collective.packet_bytes = draw_bytes(dice, c.collective, c.topology().nodes());
    if (operation.folds() && !c.options.reduction.type.is_text()) {
        const std::uint64_t each = c.options.reduction.type->bytes;
        c.collective.packet_bytes = (c.collective.packet_bytes + each - 1) / each * each;
        // Reductions with given values need values.
        if (!own.empty()) c.collective.packet_bytes = std::max(c.collective.packet_bytes, each);
    }
    if (operation.signals()) c.collective = Collective::of(operation, 0, 0);
    if (operation == Operation::permutation) c.collective.permutation = draw_permutation(dice, c.topology());
    if (operation == Operation::permutation || operation == Operation::reduce_scatter)
        c.collective.packets_each = one_of(1U, 1U, 2U, 3U);
    c.collective = fitted(std::move(c.collective), c.topology());
    c.seed = dice.word() >> 32;
    // Of dice of their own: the same seed draws the same cases but for them.
    if (c.machine.has_paths() && Dice(c.seed + 2).happens(0.3)) c.machine.routing = Routing::adaptive;
    c.machine.prices = draw_slow_parts(Dice(c.seed), c.topology().wires());
    return c;
}

namespace {

/// Returns the collective with one packet of so many times its bytes, which are some, for each number.
Collective sized(Collective collective, const Counts& times) {
    std::vector<std::uint32_t> bytes = times.numbers();
    for (std::uint32_t& size : bytes) size *= static_cast<std::uint32_t>(collective.packet_bytes);
    const Counts sizes(std::move(bytes), times.nodes(), times.counted_for());
    collective.packet_bytes *= std::max<std::uint32_t>(1, times.largest());
    return counting(std::move(collective), std::make_shared<const Counts>(Counts::of_sizes(sizes)));
}

/// Draws numbers of packets that differ, of nodes or of pairs; nothing changes if the operation has none, or by chance.
void draw_counts(Dice dice, const Algorithm& algorithm, Case& c) {
    constexpr std::array<std::uint64_t, 4> most = {1, 2, 5, 9};
    const CountedFor counted_for = c.collective.operation->counted_for;
    if (counted_for == CountedFor::nothing || c.collective.neighbours != nullptr || dice.happens(0.8)) return;
    const NodeId nodes = c.topology().nodes();
    const std::uint64_t drawn_most = dice.one_of(std::span<const std::uint64_t>(most));
    const std::uint64_t largest = algorithm.slow.empty() ? drawn_most : most.front();
    const double none = dice.happens(0.3) ? 0.7 : 0.1;
    std::vector<std::uint32_t> numbers(counted_for == CountedFor::pairs ? nodes * nodes : nodes);
    for (std::uint32_t& number : numbers)
        number = dice.happens(none) ? 0 : static_cast<std::uint32_t>(dice.between(0, largest));
    const Counts counts(std::move(numbers), nodes, counted_for);
    Case drawn = c;
    if (c.collective.packet_bytes != 0 &&
        dice.happens(0.3))  // in units of the size that is drawn already: whole elements
        drawn.collective = sized(std::move(drawn.collective), counts);
    else
        drawn.collective = counting(std::move(drawn.collective), std::make_shared<const Counts>(counts));
    if (!misfit_of(algorithm, drawn)) c = std::move(drawn);
}

}  // namespace

void draw_groups(Dice& dice, Case& c) {
    const Topology& topology = c.topology();
    if (topology.nodes() < 2) return;
    // All but one node, which is a neighbour of their leader: most graphs are connected without it.
    const NodeId leader = c.collective.rooted() ? c.collective.root : dice.below(topology.nodes());
    std::vector<NodeId> near;
    for_each_neighbour(topology, leader, [&](NodeId w) { near.push_back(w); });
    const NodeId apart = dice.one_of(std::span<const NodeId>(near));
    std::vector<NodeId> others{leader};
    for (NodeId v = 0; v < topology.nodes(); ++v)
        if (v != leader && v != apart) others.push_back(v);
    c.options.groups = {std::move(others), {apart}};
    c.options.intra = "farthest-first";
    c.options.inter = c.collective.rooted() ? "farthest-first" : "tree-exchange";
}

void draw_options(Dice& dice, const Algorithm& algorithm, Case& c) {
    // Messages share channels of switches, and those of most algorithms wait for each other there.
    if (c.topology().fabric() != nullptr) c.machine.policy = Policy::queue;
    Case several = c;
    several.collective.packets_each = dice.happens(0.5) ? 2 : 5;
    if (dice.happens(0.3) && !c.collective.signals() && !misfit_of(algorithm, several)) c = several;
    draw_counts(Dice(c.seed + 1), algorithm, c);  // of dice of their own, too
    if (dice.happens(0.5)) return;
    // Most algorithms accept neither; the others report it.
    Case with = c;
    if (dice.happens(0.5)) {
        with.options.keep = dice.happens(0.5) ? Keep::smaller : Keep::greater;
    } else {
        const auto* grid = dynamic_cast<const Grid*>(&c.topology());
        with.options.dimensions.resize(grid == nullptr ? 1 : static_cast<std::size_t>(grid->dimensions()));
        std::iota(with.options.dimensions.begin(), with.options.dimensions.end(), 0U);
        dice.shuffle(with.options.dimensions);
    }
    if (!misfit_of(algorithm, with)) c = with;
}

void ask_for_defaults(Case& c) {
    const Machine plain;
    c.machine.policy = plain.policy;
    c.machine.combining = plain.combining;
    c.machine.pairwise = plain.pairwise;
    c.machine.noho = plain.noho;
    c.collective = counting(std::move(c.collective), nullptr);
}

void draw_plain(Dice& dice, const Algorithm& algorithm, Case& c, std::optional<std::uint64_t> packets_each) {
    constexpr std::uint64_t packets_most = 1U << 13;  // held by all nodes together
    constexpr std::array<std::uint64_t, 5> sizes = {8, 8, 13, 24, 64};
    const NodeId nodes = c.topology().nodes();
    const bool by_chance = !packets_each.has_value();
    const auto change = [&](const auto& make) {
        if (by_chance && dice.happens(0.1)) return;
        Case changed = c;
        make(changed);
        if (!misfit_of(algorithm, changed)) c = std::move(changed);
    };
    change([](Case& plain) {
        plain.machine.switching = Switching::store_and_forward;
        plain.machine.routing = Routing::fixed;
    });
    change([](Case& plain) { plain.machine.duplex = plain.machine.links = Duplex::full; });
    change([](Case& plain) { plain.machine.pairwise = false; });
    change([](Case& plain) { plain.machine.noho = Noho::wide; });
    change([](Case& plain) { plain.machine.combining = true; });
    if (!by_chance || dice.happens(0.7)) change([](Case& plain) { plain.machine.ports = PortLimit(1); });
    if (c.collective.signals()) return;
    const bool small = c.collective.folds() || !by_chance;
    change([&](Case& plain) {
        if (plain.collective.has_sizes()) plain.collective = counting(std::move(plain.collective), nullptr);
        plain.collective.packet_bytes = small ? sizes.front() : dice.one_of(std::span<const std::uint64_t>(sizes));
    });
    if (c.collective.folds() && c.collective.packet_bytes == sizes.front())
        change([&](Case& plain) { plain.options.reduction = draw_numbers(dice, nodes); });
    if (by_chance && c.collective.counts != nullptr) return;
    change([&](Case& plain) {
        plain.collective.counts = nullptr;
        const std::uint64_t single = nodes * plain.collective.packets(nodes) / plain.collective.packets_each;
        const std::uint64_t wanted = by_chance ? draw_packets(dice, nodes) : *packets_each;
        plain.collective.packets_each = wanted * single <= packets_most ? wanted : 1;
    });
}

}  // namespace kport
