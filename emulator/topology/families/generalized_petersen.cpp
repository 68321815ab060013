#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// An outer ring 0 .. N-1, whose ports lead to +1, -1 and by a spoke to v+N, and inner nodes N+i, whose ports lead to
/// +K, -K and by the spoke to i. The Petersen graph has N = 5, K = 2.
/// Source    Watkins, JCT 6 (1969); vertex-transitive exactly where K^2 is 1 or -1 modulo N, and for (10, 2): Frucht, Graver,
///           Watkins, The groups of the generalized Petersen graphs (1971).
class GeneralizedPetersen final : public RegularTopology {
  public:
    GeneralizedPetersen(std::string spec, NodeId n, NodeId k)
        : RegularTopology(std::move(spec), 2 * n, 3), n_(n), k_(k) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const bool outer = v < n_;
        const NodeId i = outer ? v : v - n_;
        if (p == 2) return {outer ? v + n_ : i, 2};
        const NodeId step = outer ? 1 : k_;
        return {v - i + (p == 0 ? i + step : i + n_ - step) % n_, p ^ 1U};
    }
    /// Rotating the rings is an automorphism, so two searches give all distances.
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        const NodeId i = v % n_;
        const NodeId j = w % n_;
        return Topology::distance(v - i, w - j + (j >= i ? j - i : j + n_ - i));
    }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        return Topology::distance_profile(v - v % n_);
    }
    [[nodiscard]] Hops diameter() const override { return std::max(eccentricity(0), eccentricity(n_)); }
    [[nodiscard]] Hops radius() const override { return std::min(eccentricity(0), eccentricity(n_)); }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        if (n_ != 5 || k_ != 2) return std::nullopt;
        return PublishedSchedule{4, "exhaustive search", true};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override {
        const auto square = static_cast<NodeId>(Wide{k_} * k_ % n_);
        return square == 1 || square == n_ - 1 || (n_ == 10 && k_ == 2);
    }

  private:
    __extension__ using Wide = unsigned __int128;

    NodeId n_;
    NodeId k_;
};

}  // namespace

std::vector<TopologyFamily> families_in_generalized_petersen() {
    return {{.name = "petersen",
             .form = "petersen",
             .about = "Petersen's graph of 10 nodes: generalized-petersen:5,2",
             .build = [](const Parameters&) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const GeneralizedPetersen>("petersen", 5, 2);
             },
             .members = [](NodeId nodes) { return std::vector<std::string>(nodes == 10 ? 1 : 0); },
             .drawn = DrawnAs::two_rings},
            {.name = "generalized-petersen",
             .form = "generalized-petersen:N,K",
             .about = "an outer ring of N nodes, an inner one in steps of K < N/2, and a spoke between each two",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const auto [n, k] = given.numbers({{"number of spokes", 3, nodes_max / 2}, {"step", 1, nodes_max}});
                 if (2 * k >= n) given.refuse(fmt::format("step {}; want less than {} / 2", k, n));
                 return std::make_shared<const GeneralizedPetersen>(fmt::format("generalized-petersen:{},{}", n, k), n,
                                                                    k);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (NodeId k = 1; nodes % 2 == 0 && 4 * k < nodes && k <= 3; ++k)
                         found.push_back(fmt::format("{},{}", nodes / 2, k));
                     return found;
                 },
             .drawn = DrawnAs::two_rings}};
}

}  // namespace kport
