#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/galois_field.hpp"

namespace kport {
namespace {

/// For a prime power Q = 4w + e, e in -1, 0, 1: node (0, x, y) = x Q + y is linked to (0, x, y+z) for z in X and to (1, m, y - m x)
/// for every m; node (1, m, c) = Q^2 + m Q + c to (1, m, c+z) for z in Y and to (0, x, m x + c) for every x, in GF(Q). Ports are
/// in this order, z, m and x ascending. X and Y are powers of a primitive element: X the even and Y the odd ones, for e = -1 each
/// of that half of them whose negatives are the other half. Diameter 2; slimfly:5 is the Hoffman-Singleton graph.
/// Source    McKay, Miller, Siran, A note on large graphs of diameter two, JCT B 74 (1998), also for vertex-transitivity where e
///           is 1; Hafner, Geometric realisation of the graphs of McKay-Miller-Siran, JCT B 90 (2004); Besta, Hoefler, Slim Fly,
///           SC (2014).
class SlimFly final : public RegularTopology {
  public:
    explicit SlimFly(std::uint64_t q)
        : RegularTopology(fmt::format("slimfly:{}", q), 2 * q * q, static_cast<Port>(q + (q + 1) / 2 - (q % 4 == 1))),
          q_(q), by_q_(q), field_(q) {
        const std::uint64_t w = (q + 1) / 4;
        const std::uint64_t turn = q % 4 == 3 ? 2 * w - 1 : q - 1;  // from here on e = -1 takes the other parity
        const std::uint64_t inner = ports() - q;
        for (const std::uint64_t side : {0U, 1U}) {
            std::vector<GaloisField::Element>& steps = steps_[side];
            for (std::uint64_t n = side; n < turn + side; n += 2) steps.push_back(field_.power(n));
            for (std::uint64_t n = turn + side; steps.size() < inner; n += 2) steps.push_back(field_.power(n));
            std::ranges::sort(steps);
            place_[side].assign(q, no_port);
            for (Port p = 0; p < steps.size(); ++p) place_[side][steps[p]] = p;
        }
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const SlimFlyNode at = place(v);
        const auto inner = static_cast<Port>(steps_[0].size());
        if (p < inner) {
            const GaloisField::Element z = steps_[at.side][p];
            return {v - at.y + field_.sum(at.y, z), place_[at.side][field_.negative(z)]};
        }
        const Port m = p - inner;
        const GaloisField::Element product = field_.product(m, at.x);
        const NodeId y = at.side == 0 ? field_.difference(at.y, product) : field_.sum(product, at.y);
        return {(1 - at.side) * q_ * q_ + m * q_ + y, inner + at.x};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        const SlimFlyNode at = place(v);
        const SlimFlyNode to = place(w);
        if (at.side == to.side) {
            if (at.x != to.x || at.y == to.y) return no_port;
            return place_[at.side][field_.difference(to.y, at.y)];
        }
        const auto port = static_cast<Port>(steps_[0].size() + to.x);
        return across(v, port).node == w ? port : no_port;
    }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (v == w) return 0;
        return port_to(v, w) == no_port ? 2 : 1;
    }
    [[nodiscard]] Hops diameter() const override { return 2; }
    [[nodiscard]] Hops radius() const override { return 2; }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId) const override {
        return {1, ports(), nodes() - 1 - ports()};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override {
        return q_ % 4 == 1 ? true : Topology::vertex_symmetry();
    }
    /// A bipartite graph of diameter 2 would be complete bipartite, which has more links.
    [[nodiscard]] bool bipartite() const override { return false; }

  private:
    struct SlimFlyNode {
        unsigned side;
        GaloisField::Element x;
        GaloisField::Element y;
    };
    [[nodiscard]] SlimFlyNode place(NodeId v) const {
        const NodeId row = by_q_.quotient(v);
        const unsigned side = row < q_ ? 0 : 1;
        return {side, static_cast<GaloisField::Element>(row - side * q_),
                static_cast<GaloisField::Element>(v - row * q_)};
    }

    std::uint64_t q_;
    Divisor by_q_;
    GaloisField field_;
    std::array<std::vector<GaloisField::Element>, 2> steps_;  ///< X and Y, ascending
    std::array<std::vector<Port>, 2> place_;  ///< index of a step in X and in Y; Q entries, where N is 2 Q^2
};

}  // namespace

std::vector<TopologyFamily> families_in_slimfly() {
    return {{.name = "slimfly",
             .form = "slimfly:Q",
             .about = "2 Q^2 nodes, Q a prime power from 3 on; diameter 2, degree about 3Q/2",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const std::uint64_t q = given.number({"prime power", 3, nodes_max});
                 given.require_nodes(2 * static_cast<double>(q) * static_cast<double>(q));
                 if (!prime_power(q))
                     given.refuse(
                         fmt::format("{} is no power of a prime; want one, such as {}", q, prime_powers_beside(q, 3)));
                 return std::make_shared<const SlimFly>(q);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found = one_number(nodes, 3, [](std::uint64_t q) { return 2 * q * q; });
                     std::erase_if(found, [](const std::string& q) { return !prime_power(std::stoull(q)); });
                     return found;
                 }}};
}

}  // namespace kport
