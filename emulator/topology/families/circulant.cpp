#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/topology/by_rule.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// v is linked to v + S and v - S modulo N for every jump S: ports 2i and 2i+1 of jump i.
/// Source    recursive circulants, of the jumps D^i < N: Park, Chwa, Recursive circulant (1994).
class Circulant final : public ByRule<Circulant> {
  public:
    Circulant(std::string spec, NodeId nodes, std::vector<NodeId> jumps)
        : ByRule(std::move(spec), nodes, static_cast<Port>(2 * jumps.size())), jumps_(std::move(jumps)) {}

    [[nodiscard]] NodeId named(NodeId v, Port p) const {
        const NodeId jump = jumps_[p / 2];
        const NodeId forward = p % 2 == 0 ? jump : nodes() - jump;
        return v < nodes() - forward ? v + forward : v - (nodes() - forward);
    }
    [[nodiscard]] bool vertex_symmetric() const override { return true; }
    /// The only colouring that turns round with the graph has the colours of even and odd numbers.
    [[nodiscard]] bool bipartite() const override {
        if (nodes() % 2 == 1) return false;
        for (const NodeId jump : jumps_)
            if (jump % 2 == 0) return false;
        return true;
    }

  protected:
    [[nodiscard]] NodeId seen_from(NodeId v, NodeId w) const override { return w >= v ? w - v : w + nodes() - v; }

  private:
    std::vector<NodeId> jumps_;
};

std::shared_ptr<const Topology> build_circulant(const Parameters& given) {
    std::vector<NodeId> numbers = given.numbers(',', {"number", 1, nodes_max});
    const NodeId nodes = numbers.front();
    std::vector<NodeId> jumps(numbers.begin() + 1, numbers.end());
    if (jumps.empty()) given.refuse("no jump; want circulant:N,S1,S2,..., such as circulant:9,1,2");
    NodeId pieces = nodes;
    for (auto jump = jumps.begin(); jump != jumps.end(); ++jump) {
        if (*jump > nodes / 2) given.refuse(fmt::format("jump {}; want 1 to {}, half the nodes", *jump, nodes / 2));
        if (std::find(jumps.begin(), jump, *jump) != jump) given.refuse(fmt::format("jump {} comes twice", *jump));
        pieces = std::gcd(pieces, *jump);
    }
    if (pieces > 1)
        given.refuse(
            fmt::format("nodes and jumps are all multiples of {}: the graph falls into {} pieces", pieces, pieces));
    given.require_ports(2 * jumps.size());
    std::string spec = fmt::format("circulant:{},{}", nodes, fmt::join(jumps, ","));
    return std::make_shared<const Circulant>(std::move(spec), nodes, std::move(jumps));
}

std::shared_ptr<const Topology> build_recursive_circulant(const Parameters& given) {
    const auto [nodes, base] = given.numbers({{"number of nodes", 2, nodes_max}, {"base", 2, nodes_max}});
    std::vector<NodeId> jumps;
    for (NodeId jump = 1; jump < nodes; jump *= base) {
        jumps.push_back(jump);
        if (jump > nodes_max / base) break;
    }
    return std::make_shared<const Circulant>(fmt::format("recursive-circulant:{},{}", nodes, base), nodes, jumps);
}

}  // namespace

std::vector<TopologyFamily> families_in_circulant() {
    return {{.name = "circulant",
             .form = "circulant:N,S1,S2,...",
             .about = "a circle of N nodes, each linked to those S1, S2, ... before and after it",
             .build = build_circulant,
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     if (nodes >= 2) found.push_back(fmt::format("{},1", nodes));
                     for (NodeId jump = 2; jump <= nodes / 2 && jump <= 4; ++jump)
                         found.push_back(fmt::format("{},1,{}", nodes, jump));
                     if (nodes >= 8) found.push_back(fmt::format("{},2,1,{}", nodes, nodes / 2));
                     return found;
                 }},
            {.name = "recursive-circulant",
             .form = "recursive-circulant:N,D",
             .about = "the circulant of N nodes whose jumps are 1, D, D^2, ... below N",
             .build = build_recursive_circulant,
             .members = [](NodeId nodes) {
                 std::vector<std::string> found;
                 for (NodeId base = 2; base <= 4 && base < nodes; ++base)
                     found.push_back(fmt::format("{},{}", nodes, base));
                 return found;
             }}};
}

}  // namespace kport
