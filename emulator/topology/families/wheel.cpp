#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Node 0 is the hub, its port i-1 leads to node i of the rim; the rim 1 .. N-1 is a ring: port 0 to the hub, 1 to the node
/// before, 2 to the node after.
class Wheel final : public Topology {
  public:
    explicit Wheel(NodeId nodes) : Topology(fmt::format("wheel:{}", nodes), nodes, static_cast<Port>(nodes - 1)) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        if (v == 0) return {NodeId{p} + 1, 0};
        switch (p) {
            case 0: return {0, static_cast<Port>(v - 1)};
            case 1: return {v == 1 ? nodes() - 1 : v - 1, 2};
            case 2: return {v == nodes() - 1 ? 1 : v + 1, 1};
            default: return {};
        }
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        if (v == w) return no_port;
        if (v == 0) return static_cast<Port>(w - 1);
        if (w == 0) return 0;
        if (across(v, 1).node == w) return 1;
        return across(v, 2).node == w ? 2 : no_port;
    }
    [[nodiscard]] Port degree(NodeId v) const override { return v == 0 ? ports() : 3; }
    [[nodiscard]] Port labels(NodeId v) const override { return degree(v); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return 4 * (nodes() - 1); }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (v == w) return 0;
        return port_to(v, w) == no_port ? 2 : 1;
    }
    [[nodiscard]] Hops diameter() const override { return 2; }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        if (v == 0) return {1, nodes() - 1};
        return {1, 3, nodes() - 4};
    }
    [[nodiscard]] Hops radius() const override { return 1; }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return false; }
    [[nodiscard]] bool bipartite() const override { return false; }
    [[nodiscard]] Port route(NodeId at, NodeId to) const override {
        // The hub is on a shortest path whenever `to` is two links away, and is at port 0.
        const Port direct = port_to(at, to);
        return direct == no_port ? 0 : direct;
    }
};

}  // namespace

std::vector<TopologyFamily> families_in_wheel() {
    return {{.name = "wheel",
             .form = "wheel:N",
             .about = "a hub, node 0, and a ring of N-1 nodes around it, N at least 5",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const NodeId nodes = given.number({"number of nodes", 5, nodes_max});
                 given.require_ports(nodes - 1);
                 return std::make_shared<const Wheel>(nodes);
             },
             .members = [](NodeId nodes) { return one_number(nodes, 5, [](auto n) { return n; }); },
             .drawn = DrawnAs::hub}};
}

}  // namespace kport
