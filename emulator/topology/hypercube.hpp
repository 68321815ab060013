/// @file hypercube.hpp   Q_n: node numbers are words of n bits, neighbours differ in one bit.
#pragma once

#include <bit>
#include <optional>

#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// The hypercube of 2^n nodes. Port d is dimension d: it flips bit d, and so does the port at the other end.
class Hypercube final : public RegularTopology {
  public:
    static constexpr int dimensions_max = 40;

    /// Throws RequestError unless 0 <= dimensions <= dimensions_max. hypercube:0 is one node without links.
    explicit Hypercube(std::uint64_t dimensions);

    /// n = log2 N.
    [[nodiscard]] int dimensions() const { return static_cast<int>(ports()); }
    /// Returns the port that leads across dimension d.
    [[nodiscard]] static Port port(int d) { return static_cast<Port>(d); }
    /// Returns the dimension that the port leads across.
    [[nodiscard]] static int dimension_of(Port p) { return static_cast<int>(p); }
    /// Returns the neighbour across dimension d.
    [[nodiscard]] static NodeId neighbour(NodeId v, int d) { return v ^ (NodeId{1} << d); }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override { return {v ^ (NodeId{1} << p), p}; }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        const NodeId difference = v ^ w;  // a single bit, tested without a call that counts bits
        const bool in_one = difference != 0 && (difference & (difference - 1)) == 0;
        return in_one ? lowest_dimension(difference) : no_port;
    }

    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override { return static_cast<Hops>(std::popcount(v ^ w)); }
    [[nodiscard]] Hops eccentricity(NodeId) const override { return ports(); }
    [[nodiscard]] Hops diameter() const override { return ports(); }
    /// Binomial coefficients.
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override;
    /// n * 2^(n-1).
    [[nodiscard]] std::uint64_t sum_of_distances(NodeId) const override { return nodes() * ports() / 2; }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    [[nodiscard]] bool bipartite() const override { return true; }

    /// E-cube: the lowest dimension in which the numbers differ.
    [[nodiscard]] Port route(NodeId at, NodeId to) const override { return lowest_dimension(at ^ to); }

  private:
    [[nodiscard]] static Port lowest_dimension(NodeId difference) {
        return static_cast<Port>(std::countr_zero(difference));
    }
};

}  // namespace kport
