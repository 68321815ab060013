#include <optional>

#include <fmt/format.h>

#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/galois_field.hpp"

namespace kport {
namespace {

/// The points of the projective plane over GF(Q): 0 = (0,0,1), 1 + c = (0,1,c), 1 + Q + b Q + c = (1,b,c). Two are linked where
/// their dot product is 0; ports are in the order of the neighbours. The points whose product with themselves is 0 lack one.
/// Source    Erdos, Renyi, Sos, On a problem of graph theory (1966); Lakhotia et al., PolarFly, SC (2022).
class PolarFly final : public Topology {
  public:
    explicit PolarFly(std::uint64_t q)
        : Topology(fmt::format("polarfly:{}", q), q * q + q + 1, static_cast<Port>(q + 1)), q_(q), by_q_(q), field_(q) {
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        if (p >= degree(v)) return {};
        NodeId w = on_polar(v, p);
        if (is_on_own_polar(v) && w >= v) w = on_polar(v, p + 1);
        return {w, port_to(w, v)};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        if (v == w || product(point(v), point(w)) != 0) return no_port;
        const Port place = place_on_polar(v, w);
        return is_on_own_polar(v) && v < w ? place - 1 : place;
    }
    [[nodiscard]] Port degree(NodeId v) const override { return is_on_own_polar(v) ? ports() - 1 : ports(); }
    [[nodiscard]] Port labels(NodeId v) const override { return degree(v); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return q_ * (q_ + 1) * (q_ + 1); }

    /// Two points have a common neighbour, where their polars meet, unless they are neighbours.
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (v == w) return 0;
        return port_to(v, w) == no_port ? 2 : 1;
    }
    [[nodiscard]] Hops diameter() const override { return 2; }
    [[nodiscard]] Hops radius() const override { return 2; }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        return {1, degree(v), nodes() - 1 - degree(v)};
    }
    /// Degrees differ.
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return false; }
    /// A bipartite graph of diameter 2 would be complete bipartite; here two nodes have one common neighbour at most.
    [[nodiscard]] bool bipartite() const override { return false; }

  private:
    using Element = GaloisField::Element;
    struct Point {
        Element a;
        Element b;
        Element c;
    };

    [[nodiscard]] Point point(NodeId v) const {
        if (v == 0) return {0, 0, 1};
        if (v <= q_) return {0, 1, static_cast<Element>(v - 1)};
        const NodeId rest = v - 1 - q_;
        const NodeId b = by_q_.quotient(rest);
        return {1, static_cast<Element>(b), static_cast<Element>(rest - b * q_)};
    }
    [[nodiscard]] Element product(const Point& v, const Point& w) const {
        return field_.sum(field_.sum(field_.product(v.a, w.a), field_.product(v.b, w.b)), field_.product(v.c, w.c));
    }
    [[nodiscard]] bool is_on_own_polar(NodeId v) const { return product(point(v), point(v)) == 0; }

    /// Returns the point of this place, ascending from 0 to Q, on the line of all points whose product with v is 0.
    [[nodiscard]] NodeId on_polar(NodeId v, Port place) const {
        const auto [a, b, c] = point(v);
        if (c == 0 && place == 0) return 0;
        if (c == 0 && b == 0) return place;
        if (c == 0) return 1 + q_ + NodeId{field_.negative(field_.product(a, field_.inverse(b)))} * q_ + (place - 1);
        const Element factor = field_.negative(field_.inverse(c));
        if (place == 0) return 1 + field_.product(b, factor);
        const Element y = place - 1;
        return 1 + q_ + NodeId{y} * q_ + field_.product(field_.sum(a, field_.product(b, y)), factor);
    }
    /// Returns the place of a point w on that line.
    [[nodiscard]] Port place_on_polar(NodeId v, NodeId w) const {
        const Point at = point(v);
        const Point to = point(w);
        if (at.c == 0) return w == 0 ? 0 : 1 + to.c;
        return to.a == 0 ? 0 : 1 + to.b;
    }

    std::uint64_t q_;
    Divisor by_q_;
    GaloisField field_;
};

}  // namespace

std::vector<TopologyFamily> families_in_polarfly() {
    return {{.name = "polarfly",
             .form = "polarfly:Q",
             .about = "the points of the projective plane over GF(Q), Q a prime power; diameter 2, degree Q or Q+1",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const std::uint64_t q = given.number({"prime power", 2, nodes_max});
                 given.require_nodes(static_cast<double>(q) * (static_cast<double>(q) + 1) + 1);
                 if (!prime_power(q))
                     given.refuse(
                         fmt::format("{} is no power of a prime; want one, such as {}", q, prime_powers_beside(q, 2)));
                 return std::make_shared<const PolarFly>(q);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found =
                         one_number(nodes, 2, [](std::uint64_t q) { return q * q + q + 1; });
                     std::erase_if(found, [](const std::string& q) { return !prime_power(std::stoull(q)); });
                     return found;
                 },
             .also = {"browngraph", "projectiveplane"}}};
}

}  // namespace kport
