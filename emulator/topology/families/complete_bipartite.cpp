#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// K_{A,B}: nodes 0 .. A-1 on the left, A .. A+B-1 on the right; port p leads to the p-th node of the other side.
class CompleteBipartite final : public Topology {
  public:
    CompleteBipartite(NodeId left, NodeId right)
        : Topology(fmt::format("bipartite:{}x{}", left, right), left + right, static_cast<Port>(std::max(left, right))),
          left_(left) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        if (p >= degree(v)) return {};
        return is_left(v) ? LinkEnd{left_ + p, static_cast<Port>(v)} : LinkEnd{p, static_cast<Port>(v - left_)};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        if (is_left(v) == is_left(w)) return no_port;
        return static_cast<Port>(is_left(w) ? w : w - left_);
    }
    [[nodiscard]] Port degree(NodeId v) const override {
        return static_cast<Port>(is_left(v) ? nodes() - left_ : left_);
    }
    [[nodiscard]] Port labels(NodeId v) const override { return degree(v); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return 2 * left_ * (nodes() - left_); }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (v == w) return 0;
        return is_left(v) == is_left(w) ? 2 : 1;
    }
    [[nodiscard]] Hops diameter() const override { return nodes() == 2 ? 1 : 2; }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        const std::uint64_t others = nodes() - degree(v) - 1;
        if (others == 0) return {1, degree(v)};
        return {1, degree(v), others};
    }
    [[nodiscard]] Hops radius() const override { return left_ == 1 || left_ + 1 == nodes() ? 1 : 2; }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return 2 * left_ == nodes(); }
    [[nodiscard]] bool bipartite() const override { return true; }
    [[nodiscard]] Port route(NodeId at, NodeId to) const override {
        const Port direct = port_to(at, to);
        return direct == no_port ? 0 : direct;  // otherwise via any node of the other side
    }

  private:
    [[nodiscard]] bool is_left(NodeId v) const { return v < left_; }

    NodeId left_;
};

}  // namespace

std::vector<TopologyFamily> families_in_complete_bipartite() {
    return {{.name = "bipartite",
             .form = "bipartite:AxB",
             .about = "A nodes on the left and B on the right, each wired to all of the other side",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const std::vector<NodeId> sides = given.numbers('x', {"side", 1, nodes_max - 1});
                 if (sides.size() != 2) given.refuse("want two sides, such as bipartite:3x5");
                 given.require_nodes(static_cast<double>(sides[0] + sides[1]));
                 given.require_ports(std::max(sides[0], sides[1]));
                 return std::make_shared<const CompleteBipartite>(sides[0], sides[1]);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (NodeId left = 1; left < nodes && left <= 3; ++left)
                         found.push_back(fmt::format("{}x{}", left, nodes - left));
                     if (nodes > 6) found.push_back(fmt::format("{}x{}", nodes - nodes / 2, nodes / 2));
                     return found;
                 },
             .also = {"completebipartite"},
             .drawn = DrawnAs::two_rows}};
}

}  // namespace kport
