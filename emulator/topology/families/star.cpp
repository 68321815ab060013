#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Node 0 is the centre, its port i-1 leads to leaf i; a leaf has port 0 only.
class Star final : public Topology {
  public:
    explicit Star(NodeId nodes) : Topology(fmt::format("star:{}", nodes), nodes, static_cast<Port>(nodes - 1)) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        if (v == 0) return {NodeId{p} + 1, 0};
        return p == 0 ? LinkEnd{0, static_cast<Port>(v - 1)} : LinkEnd{};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        if ((v == 0) == (w == 0)) return no_port;
        return v == 0 ? static_cast<Port>(w - 1) : 0;
    }
    [[nodiscard]] Port degree(NodeId v) const override { return v == 0 ? ports() : 1; }
    [[nodiscard]] Port labels(NodeId v) const override { return degree(v); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return 2 * (nodes() - 1); }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (v == w) return 0;
        return v == 0 || w == 0 ? 1 : 2;
    }
    [[nodiscard]] Hops diameter() const override { return std::min<Hops>(2, nodes() - 1); }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        if (v == 0 || nodes() == 2) return {1, nodes() - 1};
        return {1, 1, nodes() - 2};
    }
    [[nodiscard]] Hops radius() const override { return 1; }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        return PublishedSchedule{nodes() - 1, "one leaf after the other", true};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return nodes() == 2; }
    [[nodiscard]] bool bipartite() const override { return true; }
    [[nodiscard]] Port route(NodeId at, NodeId to) const override { return at == 0 ? static_cast<Port>(to - 1) : 0; }
};

}  // namespace

std::vector<TopologyFamily> families_in_star() {
    return {{.name = "star",
             .form = "star:N",
             .about = "a centre, node 0, and N-1 leaves",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const NodeId nodes = given.number({"number of nodes", 2, nodes_max});
                 given.require_ports(nodes - 1);
                 return std::make_shared<const Star>(nodes);
             },
             .members = [](NodeId nodes) { return one_number(nodes, 2, [](auto n) { return n; }); },
             .drawn = DrawnAs::hub}};
}

}  // namespace kport
