#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// For a prime Q = 1 mod 4: node (0, x, y) = x Q + y is linked to (0, x, y+z) for the squares z modulo Q and to (1, m,
/// y - m x) for every m; node (1, m, c) = Q^2 + m Q + c to (1, m, c+z) for the non-squares z and to (0, x, m x + c) for
/// every x. Ports are in this order, z, m and x ascending. Diameter 2; slimfly:5 is the Hoffman-Singleton graph.
/// Source    McKay, Miller, Siran, A note on large graphs of diameter two, JCT B 74 (1998), also for
///           vertex-transitivity; Besta, Hoefler, Slim Fly, SC (2014).
class SlimFly final : public RegularTopology {
  public:
    explicit SlimFly(std::uint64_t q)
        : RegularTopology(fmt::format("slimfly:{}", q), 2 * q * q, static_cast<Port>((3 * q - 1) / 2)), q_(q), by_q_(q),
          place_(q), is_square_(q, false) {
        for (std::uint64_t x = 1; x < q; ++x) is_square_[x * x % q] = true;
        for (std::uint64_t z = 1; z < q; ++z) {
            std::vector<std::uint32_t>& steps = is_square_[z] ? squares_ : others_;
            place_[z] = static_cast<Port>(steps.size());
            steps.push_back(static_cast<std::uint32_t>(z));
        }
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const SlimFlyNode at = place(v);
        const auto inner = static_cast<Port>(squares_.size());
        if (p < inner) {
            const NodeId z = at.side == 0 ? squares_[p] : others_[p];
            return {v - at.y + sum(at.y, z), place_[q_ - z]};
        }
        const NodeId m = p - inner;
        const NodeId product = remainder(m * at.x);
        const NodeId y = at.side == 0 ? sum(at.y, q_ - product) : sum(product, at.y);
        return {(1 - at.side) * q_ * q_ + m * q_ + y, inner + static_cast<Port>(at.x)};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        const SlimFlyNode at = place(v);
        const SlimFlyNode to = place(w);
        if (at.side == to.side) {
            if (at.x != to.x || at.y == to.y) return no_port;
            const NodeId z = sum(to.y, q_ - at.y);
            return is_square_[z] == (at.side == 0) ? place_[z] : no_port;
        }
        const auto port = static_cast<Port>(squares_.size() + to.x);
        return across(v, port).node == w ? port : no_port;
    }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (v == w) return 0;
        return port_to(v, w) == no_port ? 2 : 1;
    }
    [[nodiscard]] Hops diameter() const override { return 2; }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId) const override {
        return {1, ports(), nodes() - 1 - ports()};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    /// A bipartite graph of diameter 2 would be complete bipartite, which has more links.
    [[nodiscard]] bool bipartite() const override { return false; }

  private:
    struct SlimFlyNode {
        NodeId side;
        NodeId x;
        NodeId y;
    };
    [[nodiscard]] SlimFlyNode place(NodeId v) const {
        const NodeId row = by_q_.quotient(v);
        const NodeId side = row < q_ ? 0 : 1;
        return {side, row - side * q_, v - row * q_};
    }
    /// Returns x + y modulo Q, for x, y <= Q.
    [[nodiscard]] NodeId sum(NodeId x, NodeId y) const { return x + y < q_ ? x + y : x + y - q_; }
    [[nodiscard]] NodeId remainder(NodeId x) const { return x - by_q_.quotient(x) * q_; }

    std::uint64_t q_;
    Divisor by_q_;
    std::vector<Port> place_;  ///< index of a step among those of its kind; Q entries, where N is 2 Q^2
    std::vector<bool> is_square_;
    std::vector<std::uint32_t> squares_;
    std::vector<std::uint32_t> others_;
};

bool is_prime(std::uint64_t q) {
    for (std::uint64_t divisor = 2; divisor * divisor <= q; ++divisor)
        if (q % divisor == 0) return false;
    return q > 1;
}

}  // namespace

std::vector<TopologyFamily> families_in_slimfly() {
    return {{.name = "slimfly",
             .form = "slimfly:Q",
             .about = "2 Q^2 nodes, Q a prime that leaves 1 when divided by 4; diameter 2, degree (3Q-1)/2",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const std::uint64_t q = given.number({"prime", 5, nodes_max});
                 given.require_nodes(2 * static_cast<double>(q) * static_cast<double>(q));
                 if (q % 4 != 1 || !is_prime(q))
                     given.refuse(fmt::format("{} {}; want a prime such as 5, 13, 17, 29", q,
                                              is_prime(q) ? "leaves 3 when divided by 4" : "is no prime"));
                 return std::make_shared<const SlimFly>(q);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (std::uint64_t q = 5; 2 * q * q <= nodes; q += 4)
                         if (2 * q * q == nodes && is_prime(q)) found.push_back(std::to_string(q));
                     return found;
                 }}};
}

}  // namespace kport
