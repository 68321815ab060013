#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Nodes are numbered row by row as those of a mesh; two are linked if they differ in one coordinate. Ports are numbered
/// dimension by dimension, in each by the other coordinates ascending.
/// Source    Bhuyan, Agrawal, Generalized hypercube and hyperbus structures, IEEE ToC 33 (1984); HyperX: Ahn et al., SC (2009).
class Hamming final : public RegularTopology {
  public:
    Hamming(std::string_view family, const std::vector<NodeId>& sides, NodeId nodes, Port ports)
        : RegularTopology(fmt::format("{}:{}", family, fmt::join(sides, "x")), nodes, ports) {
        NodeId stride = nodes;
        Port first = 0;
        for (const NodeId side : sides) {
            stride /= side;
            axes_.push_back({side, stride, first, Divisor(side), Divisor(stride)});
            first += static_cast<Port>(side - 1);
        }
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const auto next = std::ranges::upper_bound(axes_, p, {}, &Dimension::first);
        const auto& axis = *std::prev(next);
        const NodeId x = axis.coordinate(v);
        const NodeId y = p - axis.first < x ? p - axis.first : p - axis.first + 1;
        return {v + (y - x) * axis.stride, axis.port(y, x)};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        return distance(v, w) == 1 ? route(v, w) : no_port;
    }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        return static_cast<Hops>(std::ranges::count_if(
            axes_, [&](const Dimension& axis) { return axis.coordinate(v) != axis.coordinate(w); }));
    }
    [[nodiscard]] Hops diameter() const override {
        return static_cast<Hops>(std::ranges::count_if(axes_, [](const Dimension& axis) { return axis.side > 1; }));
    }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId) const override {
        std::vector<std::uint64_t> profile{1};
        for (const Dimension& axis : axes_) {
            if (axis.side == 1) continue;
            profile.push_back(0);
            for (std::size_t d = profile.size() - 1; d > 0; --d) profile[d] += profile[d - 1] * (axis.side - 1);
        }
        return profile;
    }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        std::uint64_t rounds = 0;
        for (const Dimension& axis : axes_) rounds += static_cast<std::uint64_t>(std::bit_width(axis.side - 1));
        return PublishedSchedule{rounds, "recursive doubling, one dimension after the other"};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    /// A dimension of three or more has a triangle.
    [[nodiscard]] bool bipartite() const override {
        return std::ranges::all_of(axes_, [](const Dimension& axis) { return axis.side <= 2; });
    }
    [[nodiscard]] Port route(NodeId at, NodeId to) const override {
        for (const Dimension& axis : axes_)
            if (const NodeId x = axis.coordinate(at); x != axis.coordinate(to))
                return axis.port(x, axis.coordinate(to));
        return no_port;
    }

  private:
    struct Dimension {
        NodeId side;
        NodeId stride;
        Port first;  ///< first port of this dimension
        Divisor by_side;
        Divisor by_stride;

        [[nodiscard]] NodeId coordinate(NodeId v) const {
            const NodeId along = by_stride.quotient(v);
            return along - by_side.quotient(along) * side;
        }
        /// Returns the port from coordinate x to y.
        [[nodiscard]] Port port(NodeId x, NodeId y) const { return first + static_cast<Port>(y < x ? y : y - 1); }
    };

    std::vector<Dimension> axes_;
};

std::shared_ptr<const Topology> build_with_name(std::string_view family, const Parameters& given) {
    const std::vector<NodeId> sides = given.numbers('x', {"side", 1, nodes_max});
    double nodes = 1;
    std::uint64_t ports = 0;
    for (const NodeId side : sides) {
        nodes *= static_cast<double>(side);
        given.require_nodes(nodes);
        ports += side - 1;
    }
    given.require_ports(ports);
    return std::make_shared<const Hamming>(family, sides, static_cast<NodeId>(nodes), static_cast<Port>(ports));
}

std::shared_ptr<const Topology> build_hamming(const Parameters& given) { return build_with_name("hamming", given); }
std::shared_ptr<const Topology> build_hyperx(const Parameters& given) { return build_with_name("hyperx", given); }

}  // namespace

std::vector<TopologyFamily> families_in_hamming() {
    return {{.name = "hamming",
             .form = "hamming:AxBx...",
             .about = "a grid of A by B by ... nodes, each linked to all that differ in one coordinate",
             .build = build_hamming,
             .members = members_with_sides,
             .also = {"generalizedhypercube"},
             .drawn = DrawnAs::grid},
            {.name = "hyperx",
             .form = "hyperx:AxBx...",
             .about = "the same as hamming:AxBx...",
             .build = build_hyperx,
             .members = [](NodeId) { return std::vector<std::string>(); },
             .drawn = DrawnAs::grid}};
}

}  // namespace kport
