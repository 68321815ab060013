#include <bit>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// N/2 nodes on the left, as many on the right (numbered from N/2 on); port i joins left node j with right node
/// j + 2^i - 1 modulo N/2.
/// Source    Knoedel, New gossips and telephones, Discrete Mathematics 13 (1975); Fertin, Raspaud, A survey on Knoedel
///           graphs (2004).
class Knoedel final : public RegularTopology {
  public:
    Knoedel(std::uint64_t d, NodeId nodes)
        : RegularTopology(fmt::format("knoedel:{},{}", d, nodes), nodes, static_cast<Port>(d)), half_(nodes / 2) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const NodeId step = ((NodeId{1} << p) - 1) % half_;
        if (v < half_) return {half_ + turned(v, step), p};
        return {turned(v - half_, half_ - step), p};
    }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        const bool largest_degree = ports() + 1 == static_cast<Port>(std::bit_width(nodes()));
        if (!largest_degree) return std::nullopt;
        return PublishedSchedule{static_cast<std::uint64_t>(std::bit_width(nodes() - 1)), "Knoedel 1975"};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    [[nodiscard]] bool bipartite() const override { return true; }

  protected:
    /// Rotating both sides is an automorphism; so is swapping sides and negating numbers.
    [[nodiscard]] NodeId seen_from(NodeId v, NodeId w) const override {
        const NodeId i = v % half_;
        const NodeId j = w % half_;
        const bool same_side = (v < half_) == (w < half_);
        const NodeId along = v < half_ ? turned(j, half_ - i) : turned(i, half_ - j);
        return same_side ? along : half_ + along;
    }

  private:
    [[nodiscard]] NodeId turned(NodeId j, NodeId step) const { return j + step < half_ ? j + step : j + step - half_; }

    NodeId half_;
};

}  // namespace

std::vector<TopologyFamily> families_in_knoedel() {
    return {{.name = "knoedel",
             .form = "knoedel:D,N",
             .about = "Knoedel's graph of N nodes, N even, degree D up to log2 N: gossips in log2 N rounds",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const auto [d, nodes] = given.numbers({{"degree", 1, 40}, {"number of nodes", 2, nodes_max}});
                 if (nodes % 2 == 1) given.refuse(fmt::format("{} nodes; want an even number", nodes));
                 const auto most = static_cast<unsigned>(std::bit_width(nodes)) - 1;
                 if (d > most) given.refuse(fmt::format("degree {}; want 1 to {}, log2 of the nodes", d, most));
                 if (d == 1 && nodes > 2)
                     given.refuse("of degree 1 only knoedel:1,2 is connected; want degree 2 or more");
                 return std::make_shared<const Knoedel>(d, nodes);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     if (nodes == 2) found.emplace_back("1,2");
                     for (unsigned d = 2; nodes % 2 == 0 && d < static_cast<unsigned>(std::bit_width(nodes)); ++d)
                         found.push_back(fmt::format("{},{}", d, nodes));
                     return found;
                 },
             .drawn = DrawnAs::circle}};
}

}  // namespace kport
