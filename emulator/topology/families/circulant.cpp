#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// v is linked to v + S and v - S modulo N for every jump S: ports 2i and 2i+1 of jump i.
/// Source    recursive circulants, of the jumps D^i < N: Park, Chwa, Recursive circulant (1994).
/// If several ports name a neighbour, the first leads there and the others are absent.
class Circulant final : public Topology {
  public:
    Circulant(std::string spec, NodeId nodes, const std::vector<NodeId>& jumps)
        : Topology(std::move(spec), nodes, static_cast<Port>(2 * jumps.size())) {
        std::map<NodeId, Port> first_port;
        for (const NodeId jump : jumps)
            for (const NodeId forward : {jump, nodes - jump}) {
                first_port.emplace(forward, static_cast<Port>(steps_.size()));
                steps_.push_back({forward, no_port});
            }
        for (Port p = 0; p < ports(); ++p)
            if (first_port[steps_[p].forward] == p) steps_[p].back = first_port[nodes - steps_[p].forward];
        ports_by_step_.assign(first_port.begin(), first_port.end());
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const auto& [forward, back] = steps_[p];
        if (back == no_port) return {};
        return {v < nodes() - forward ? v + forward : v - (nodes() - forward), back};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        const NodeId forward = seen_from(v, w);
        const auto found = std::ranges::lower_bound(ports_by_step_, forward, {}, &std::pair<NodeId, Port>::first);
        return found != ports_by_step_.end() && found->first == forward ? found->second : no_port;
    }
    [[nodiscard]] Port degree(NodeId) const override { return static_cast<Port>(ports_by_step_.size()); }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        const bool of_powers_of_4 = family() == "recursive-circulant" && ports() > 2 && steps_[2].forward == 4;
        if (!of_powers_of_4 || !std::has_single_bit(nodes())) return std::nullopt;
        return PublishedSchedule{static_cast<std::uint64_t>(std::countr_zero(nodes())), "Park, Chwa 1994"};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    /// The only 2-colouring that rotations can keep colours even and odd numbers.
    [[nodiscard]] bool bipartite() const override {
        if (nodes() % 2 == 1) return false;
        return std::ranges::all_of(steps_, [](const Jump& step) { return step.forward % 2 == 1; });
    }

  protected:
    [[nodiscard]] NodeId seen_from(NodeId v, NodeId w) const override { return w >= v ? w - v : w + nodes() - v; }

  private:
    struct Jump {
        NodeId forward;
        Port back;  ///< the neighbour's port; no_port where the port is absent
    };

    std::vector<Jump> steps_;  ///< by port
    std::vector<std::pair<NodeId, Port>> ports_by_step_;
};

std::shared_ptr<const Topology> build_circulant(const Parameters& given) {
    std::vector<NodeId> numbers = given.numbers(',', {"number", 1, nodes_max});
    const NodeId nodes = numbers.front();
    std::vector<NodeId> jumps(numbers.begin() + 1, numbers.end());
    if (jumps.empty()) given.refuse("no jump; want circulant:N,S1,S2,..., such as circulant:9,1,2");
    NodeId pieces = nodes;
    std::set<NodeId> different;
    for (const NodeId jump : jumps) {
        if (jump > nodes / 2) given.refuse(fmt::format("jump {}; want 1 to {}, half the nodes", jump, nodes / 2));
        if (!different.insert(jump).second) given.refuse(fmt::format("jump {} comes twice", jump));
        pieces = std::gcd(pieces, jump);
    }
    if (pieces > 1)
        given.refuse(
            fmt::format("nodes and jumps are all multiples of {}: the graph falls into {} pieces", pieces, pieces));
    given.require_ports(2 * jumps.size());
    std::string spec = fmt::format("circulant:{},{}", nodes, fmt::join(jumps, ","));
    return std::make_shared<const Circulant>(std::move(spec), nodes, jumps);
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
                 },
             .drawn = DrawnAs::circle},
            {.name = "recursive-circulant",
             .form = "recursive-circulant:N,D",
             .about = "the circulant of N nodes whose jumps are 1, D, D^2, ... below N",
             .build = build_recursive_circulant,
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (NodeId base = 2; base <= 4 && base < nodes; ++base)
                         found.push_back(fmt::format("{},{}", nodes, base));
                     return found;
                 },
             .drawn = DrawnAs::circle}};
}

}  // namespace kport
