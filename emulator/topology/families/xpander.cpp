#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "emulator/topology/families/drawn.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// A random lift of the complete graph of D + 1 nodes: each of its nodes i becomes L nodes i L + a, each of its links a random
/// matching of theirs. The port to those of j is j, less 1 where j > i.
/// Source    Valadarsky, Shahaf, Dinitz, Schapira, Xpander: towards optimal-performance datacenters, CoNEXT (2016).
/// Memory    4 bytes a channel
class Xpander final : public RegularTopology {
  public:
    /// `neighbours`: of each node by port.
    Xpander(std::string spec, std::uint64_t degree, std::uint64_t lift, std::vector<std::uint32_t> neighbours)
        : RegularTopology(std::move(spec), (degree + 1) * lift, static_cast<Port>(degree)), lift_(lift),
          neighbours_(std::move(neighbours)) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const NodeId w = neighbours_[v * ports() + p];
        return {w, port_to_group(w, v / lift_)};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        if (v / lift_ == w / lift_) return no_port;
        const Port port = port_to_group(v, w / lift_);
        return neighbours_[v * ports() + port] == w ? port : no_port;
    }

  private:
    [[nodiscard]] Port port_to_group(NodeId v, NodeId group) const {
        return static_cast<Port>(group < v / lift_ ? group : group - 1);
    }

    std::uint64_t lift_;
    std::vector<std::uint32_t> neighbours_;
};

class LiftDrawing {
  public:
    LiftDrawing(std::uint64_t degree, std::uint64_t lift, std::uint64_t seed)
        : degree_(degree), lift_(lift), random_(seed), neighbours_((degree + 1) * lift * degree), permutation_(lift) {}

    void draw() {
        for (std::uint64_t i = 0; i <= degree_; ++i)
            for (std::uint64_t j = i + 1; j <= degree_; ++j) join(i, j);
    }
    [[nodiscard]] bool connected() const {
        const NodeId nodes = (degree_ + 1) * lift_;
        std::vector<bool> seen(nodes, false);
        std::vector<std::uint32_t> open{0};
        seen[0] = true;
        NodeId reached = 1;
        while (!open.empty()) {
            const NodeId v = open.back();
            open.pop_back();
            for (std::uint64_t p = 0; p < degree_; ++p) {
                const std::uint32_t w = neighbours_[v * degree_ + p];
                if (seen[w]) continue;
                seen[w] = true;
                ++reached;
                open.push_back(w);
            }
        }
        return reached == nodes;
    }
    [[nodiscard]] std::vector<std::uint32_t> taken() { return std::move(neighbours_); }

  private:
    void join(std::uint64_t i, std::uint64_t j) {
        std::iota(permutation_.begin(), permutation_.end(), 0U);
        for (std::uint64_t t = lift_ - 1; t >= 1; --t) std::swap(permutation_[t], permutation_[random_.below(t + 1)]);
        for (std::uint64_t a = 0; a < lift_; ++a) {
            const NodeId v = i * lift_ + a;
            const NodeId w = j * lift_ + permutation_[a];
            neighbours_[v * degree_ + j - 1] = static_cast<std::uint32_t>(w);
            neighbours_[w * degree_ + i] = static_cast<std::uint32_t>(v);
        }
    }

    std::uint64_t degree_;
    std::uint64_t lift_;
    SplitMix64 random_;
    std::vector<std::uint32_t> neighbours_;
    std::vector<std::uint32_t> permutation_;
};

std::shared_ptr<const Topology> build_xpander(const Parameters& given) {
    constexpr double links_drawn_max = 0x1p28;  // in all drawings but the first, some seconds
    const auto [degree, lift, seed] =
        given.numbers({{"degree", 1, drawn_nodes_max - 1}, {"nodes in a group", 1, drawn_nodes_max}, seed_wanted});
    const double nodes = (static_cast<double>(degree) + 1) * static_cast<double>(lift);
    if (nodes > static_cast<double>(drawn_nodes_max))
        given.refuse(
            fmt::format("{:.0f} nodes; want at most {} (2^30), since their links are stored", nodes, drawn_nodes_max));
    if (degree == 1 && lift > 1) given.refuse("of degree 1 only 2 nodes are connected; want degree 2 or more");
    const double links = nodes * static_cast<double>(degree) / 2;
    require_room(given, links);
    const auto drawings_max = static_cast<std::uint64_t>(std::min(links_drawn_max / links, 0x1p16)) + 1;
    LiftDrawing drawing(degree, lift, seed);
    for (std::uint64_t drawings = 0; drawings < drawings_max; ++drawings) {
        drawing.draw();
        if (drawing.connected())
            return std::make_shared<const Xpander>(fmt::format("xpander:{},{},{}", degree, lift, seed), degree, lift,
                                                   drawing.taken());
    }
    given.does_not_fit(fmt::format(
        "none of {} graphs that were drawn is connected; want degree 3 or more, or fewer nodes", drawings_max));
}

}  // namespace

std::vector<TopologyFamily> families_in_xpander() {
    return {{.name = "xpander",
             .form = "xpander:D,L,SEED",
             .about = "D + 1 groups of L nodes, each two of them joined by a random matching",
             .build = build_xpander,
             .members = [](NodeId nodes) {
                 std::vector<std::string> found;
                 for (std::uint64_t degree = 2; degree < nodes && degree <= 5; ++degree)
                     if (nodes % (degree + 1) == 0)
                         found.push_back(fmt::format("{},{},1", degree, nodes / (degree + 1)));
                 if (nodes == 2) found.emplace_back("1,1,1");
                 return found;
             }}};
}

}  // namespace kport
