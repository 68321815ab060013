#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// The hypercube of D dimensions with one more link at each node: port i < D flips bit i, port D flips all.
/// Source    El-Amawy, Latifi, Properties and performance of folded hypercubes, IEEE TPDS 2 (1991).
class FoldedHypercube final : public RegularTopology {
  public:
    explicit FoldedHypercube(std::uint64_t d)
        : RegularTopology(fmt::format("folded-hypercube:{}", d), NodeId{1} << d, static_cast<Port>(d + 1)) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        return {p + 1 == ports() ? v ^ (nodes() - 1) : v ^ (NodeId{1} << p), p};
    }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        const auto bits = static_cast<Hops>(std::popcount(v ^ w));
        return std::min<Hops>(bits, ports() - bits);
    }
    [[nodiscard]] Hops diameter() const override { return ports() / 2; }
    /// Nodes at distance d differ in d bits, or in all but d-1: C(D, d) + C(D, d-1) = C(D+1, d) of them; in the middle,
    /// half.
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId) const override {
        std::vector<std::uint64_t> profile(diameter() + 1, 1);
        for (std::uint64_t d = 1; d < profile.size(); ++d) profile[d] = profile[d - 1] * (ports() - d + 1) / d;
        if (ports() % 2 == 0) profile.back() /= 2;
        return profile;
    }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        return PublishedSchedule{ports() - 1, "one dimension after the other, the highest first"};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    /// A cycle across all dimensions and back by port D has D+1 links.
    [[nodiscard]] bool bipartite() const override { return ports() % 2 == 0; }
};

}  // namespace

std::vector<TopologyFamily> families_in_folded_hypercube() {
    return {{.name = "folded-hypercube",
             .form = "folded-hypercube:D",
             .about = "the hypercube of 2 to 40 dimensions, with a link from each node to its opposite",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const FoldedHypercube>(given.number({"dimension", 2, 40}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 2, [](auto d) { return NodeId{1} << d; }); },
             .drawn = DrawnAs::cube}};
}

}  // namespace kport
