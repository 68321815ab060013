#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/divisor.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/searches.hpp"

namespace kport {
namespace {

using Factors = std::vector<std::shared_ptr<const Topology>>;

/// The Cartesian product: a node is a tuple of nodes, one of each factor, numbered row by row, the first factor the
/// most significant. Its ports are the labels of its node in the first factor, then in the second, ... Distances and
/// degrees add up.
/// Source    Hammack, Imrich, Klavzar, Handbook of Product Graphs (2011): vertex-transitive exactly if all factors are.
class Product final : public Topology {
  public:
    Product(std::string spec, NodeId nodes, Port ports, const Factors& factors)
        : Topology(std::move(spec), nodes, ports) {
        NodeId stride = nodes;
        for (const auto& factor : factors) {
            stride /= factor->nodes();
            axes_.push_back({factor, stride, Divisor(factor->nodes()), Divisor(stride)});
        }
    }

    [[nodiscard]] Factors factors() const {
        Factors all;
        for (const FactorAxis& axis : axes_) all.push_back(axis.factor);
        return all;
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        Port first = 0;  // the factor's first port at v and at its neighbour, which differs in this factor only
        for (const FactorAxis& axis : axes_) {
            const NodeId x = axis.coordinate(v);
            const Port labels = axis.factor->labels(x);
            if (p - first < labels) {
                const LinkEnd end = axis.factor->across(x, p - first);
                if (end.node == no_node) return {};
                return {v + (end.node - x) * axis.stride, first + end.port};
            }
            first += labels;
        }
        return {};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        const Differing differing = first_difference(v, w);
        if (differing.axis == nullptr) return no_port;
        const NodeId x = differing.axis->coordinate(v);
        const NodeId y = differing.axis->coordinate(w);
        if (v + (y - x) * differing.axis->stride != w) return no_port;
        const Port port = differing.axis->factor->port_to(x, y);
        return port == no_port ? no_port : differing.first_port + port;
    }
    [[nodiscard]] std::uint64_t capacity(NodeId v, Port p) const override {
        Port first = 0;
        for (const FactorAxis& axis : axes_) {
            const NodeId x = axis.coordinate(v);
            const Port labels = axis.factor->labels(x);
            if (p - first < labels) return axis.factor->capacity(x, p - first);
            first += labels;
        }
        return 1;
    }
    [[nodiscard]] bool has_trunks() const override {
        return std::ranges::any_of(axes_, [](const FactorAxis& axis) { return axis.factor->has_trunks(); });
    }
    [[nodiscard]] Port labels(NodeId v) const override {
        Port sum = 0;
        for (const FactorAxis& axis : axes_) sum += axis.factor->labels(axis.coordinate(v));
        return sum;
    }
    [[nodiscard]] Port degree(NodeId v) const override {
        Port sum = 0;
        for (const FactorAxis& axis : axes_) sum += axis.factor->degree(axis.coordinate(v));
        return sum;
    }
    [[nodiscard]] Port max_degree() const override {
        Port sum = 0;
        for (const FactorAxis& axis : axes_) sum += axis.factor->max_degree();
        return sum;
    }
    [[nodiscard]] std::uint64_t channels() const override {
        std::uint64_t sum = 0;
        for (const FactorAxis& axis : axes_) sum += axis.factor->channels() * (nodes() / axis.factor->nodes());
        return sum;
    }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        Hops sum = 0;
        for (const FactorAxis& axis : axes_) sum += axis.factor->distance(axis.coordinate(v), axis.coordinate(w));
        return sum;
    }
    [[nodiscard]] Hops eccentricity(NodeId v) const override {
        Hops sum = 0;
        for (const FactorAxis& axis : axes_) sum += axis.factor->eccentricity(axis.coordinate(v));
        return sum;
    }
    [[nodiscard]] Hops diameter() const override {
        Hops sum = 0;
        for (const FactorAxis& axis : axes_) sum += axis.factor->diameter();
        return sum;
    }
    [[nodiscard]] Hops radius() const override {
        Hops sum = 0;
        for (const FactorAxis& axis : axes_) sum += axis.factor->radius();
        return sum;
    }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        std::vector<std::uint64_t> profile{1};
        for (const FactorAxis& axis : axes_)
            profile = profile_of_product(profile, axis.factor->distance_profile(axis.coordinate(v)));
        return profile;
    }
    [[nodiscard]] std::uint64_t sum_of_distances(NodeId v) const override {
        const std::string what = fmt::format("the sum of distances in {}", spec());
        std::uint64_t sum = 0;
        for (const FactorAxis& axis : axes_) {
            const std::uint64_t along = axis.factor->sum_of_distances(axis.coordinate(v));
            sum = checked_sum(sum, checked_product(along, nodes() / axis.factor->nodes(), what), what);
        }
        return sum;
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override {
        std::optional<bool> all = true;
        for (const FactorAxis& axis : axes_) {
            const std::optional<bool> one = axis.factor->vertex_symmetry();
            if (one == false) return false;
            if (!one) all = std::nullopt;
        }
        return all;
    }
    [[nodiscard]] bool bipartite() const override {
        return std::ranges::all_of(axes_, [](const FactorAxis& axis) { return axis.factor->bipartite(); });
    }
    /// One factor after the other, each by its own route.
    [[nodiscard]] Port route(NodeId at, NodeId to) const override {
        const auto [axis, first_port] = first_difference(at, to);
        return first_port + axis->factor->route(axis->coordinate(at), axis->coordinate(to));
    }

  private:
    struct FactorAxis {
        std::shared_ptr<const Topology> factor;
        NodeId stride;
        Divisor by_side;
        Divisor by_stride;

        [[nodiscard]] NodeId coordinate(NodeId v) const {
            const NodeId along = by_stride.quotient(v);
            return along - by_side.quotient(along) * factor->nodes();
        }
    };
    struct Differing {
        const FactorAxis* axis = nullptr;
        Port first_port = 0;
    };

    /// Returns the first axis in which the nodes differ.
    [[nodiscard]] Differing first_difference(NodeId v, NodeId w) const {
        Port first = 0;
        for (const FactorAxis& axis : axes_) {
            const NodeId x = axis.coordinate(v);
            if (x != axis.coordinate(w)) return {&axis, first};
            first += axis.factor->labels(x);
        }
        return {};
    }

    std::vector<FactorAxis> axes_;
};

/// Returns the texts between those commas that are followed by a letter and not inside brackets.
std::vector<std::string_view> factors_in(std::string_view text) {
    std::vector<std::string_view> found;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        const bool letter_next = i + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[i + 1])) != 0;
        if (text[i] != ',' || depth != 0 || !letter_next) continue;
        found.push_back(text.substr(begin, i - begin));
        begin = i + 1;
    }
    found.push_back(text.substr(begin));
    return found;
}

std::shared_ptr<const Topology> build_product(const Parameters& given) {
    constexpr std::size_t factors_max = 40;
    constexpr std::size_t letters_max = 4096;  // limits nested brackets
    if (given.text().size() > letters_max) given.refuse(fmt::format("more than {} letters", letters_max));
    Factors factors;
    for (const std::string_view text : factors_in(given.text())) {
        const std::shared_ptr<const Topology> machine = make_topology(text);
        const std::shared_ptr<const Topology> factor = links_without_switches(machine);
        if (factor == nullptr) given.refuse(fmt::format("{} has switches; want factors without", machine->spec()));
        if (as_broken(*factor) != nullptr)
            given.refuse(fmt::format("{} as a factor; want broken(PARTS;product(...)), since a part is of one copy",
                                     quoted(factor->spec())));
        // A product of products is the product of all their factors, with equal numbers and ports.
        const auto* trunked = dynamic_cast<const TrunkedGraph*>(factor.get());
        if (const auto* inner = dynamic_cast<const Product*>(trunked == nullptr ? factor.get() : &trunked->graph()))
            for (const auto& one : inner->factors()) factors.push_back(one);
        else
            factors.push_back(factor);
    }
    if (factors.size() < 2) given.refuse("one factor; want product:F1,F2,..., such as product:petersen,line:3");
    if (factors.size() > factors_max) given.refuse(fmt::format("more than {} factors", factors_max));
    double nodes = 1;
    std::uint64_t ports = 0;
    std::vector<std::string> specs;
    for (const auto& factor : factors) {
        nodes *= static_cast<double>(factor->nodes());
        given.require_nodes(nodes);
        ports += factor->ports();
        specs.push_back(factor->spec());
    }
    given.require_ports(ports);
    return with_trunks(std::make_shared<const Product>(fmt::format("product:{}", fmt::join(specs, ",")),
                                                       static_cast<NodeId>(nodes), static_cast<Port>(ports), factors));
}

/// Returns some products of two factors, among them cyclic, branched and single-node ones.
std::vector<std::string> some_products(NodeId nodes) {
    std::vector<std::string> found;
    if (nodes % 10 == 0) found.push_back(fmt::format("petersen,line:{}", nodes / 10));
    for (NodeId side = 2; side <= 5; ++side) {
        if (nodes % side != 0) continue;
        found.push_back(fmt::format("line:{},ring:{}", side, nodes / side));
        if (nodes / side > 1) found.push_back(fmt::format("star:{},complete:{}", nodes / side, side));
    }
    return found;
}

}  // namespace

std::vector<TopologyFamily> families_in_product() {
    return {{.name = "product",
             .form = "product(F1,F2,...)",
             .about = "the Cartesian product, also product:F1,F2,...; a node is one of each and has their links",
             .build = build_product,
             .members = some_products}};
}

}  // namespace kport
