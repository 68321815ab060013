#include <fmt/format.h>

#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// G = A H + 1 groups of A routers; router r of group x is x A + r. Ports 0 .. A-2 lead to the others of the group ascending,
/// port A-1+q is global link j = r H + q of the group: to group x + j + 1 modulo G, where it is link A H - 1 - j ("palm tree").
/// Source    Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology, ISCA (2008); routers alone.
class Dragonfly final : public RegularTopology {
  public:
    Dragonfly(std::uint64_t routers, std::uint64_t links)
        : RegularTopology(fmt::format("dragonfly:{},{}", routers, links), routers * (routers * links + 1),
                          static_cast<Port>(routers - 1 + links)),
          routers_(routers), links_(links), by_routers_(routers), by_links_(links) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const NodeId x = by_routers_.quotient(v);
        const NodeId r = v - x * routers_;
        if (p + 1 < routers_) {
            const NodeId other = p < r ? p : NodeId{p} + 1;
            return {v - r + other, static_cast<Port>(r < other ? r : r - 1)};
        }
        const NodeId groups = routers_ * links_ + 1;
        const NodeId j = r * links_ + (p + 1 - routers_);
        const NodeId there = groups - 2 - j;
        const NodeId router = by_links_.quotient(there);
        const NodeId group = x + j + 1 < groups ? x + j + 1 : x + j + 1 - groups;
        return {group * routers_ + router, static_cast<Port>(routers_ - 1 + (there - router * links_))};
    }
    [[nodiscard]] Hops diameter() const override { return routers_ == 1 ? 1 : 3; }
    /// Groups can be rotated, and mapping x and r to -x and A-1-r exchanges the two routers of a group. With one global
    /// link a router the groups are the corners of a complete graph, any two of which can be exchanged.
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return routers_ <= 2 || links_ == 1; }

  private:
    std::uint64_t routers_;
    std::uint64_t links_;
    Divisor by_routers_;
    Divisor by_links_;
};

}  // namespace

std::vector<TopologyFamily> families_in_dragonfly() {
    return {{.name = "dragonfly",
             .form = "dragonfly:A,H",
             .about = "A H + 1 groups of A routers wired to each other, each with H links to other groups",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const auto [routers, links] =
                     given.numbers({{"routers in a group", 1, nodes_max}, {"global links of a router", 1, nodes_max}});
                 const auto in_group = static_cast<double>(routers);
                 given.require_nodes(in_group * (in_group * static_cast<double>(links) + 1));
                 given.require_ports(routers - 1 + links);
                 return std::make_shared<const Dragonfly>(routers, links);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (std::uint64_t routers = 1; routers <= nodes; ++routers)
                         for (std::uint64_t links = 1; routers * (routers * links + 1) <= nodes; ++links)
                             if (routers * (routers * links + 1) == nodes)
                                 found.push_back(fmt::format("{},{}", routers, links));
                     return found;
                 },
             .drawn = DrawnAs::groups}};
}

}  // namespace kport
