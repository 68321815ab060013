#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/numbers.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {
namespace {

/// A torus in which the wraparound of each dimension but the last also leads on by T_i in the last one: a Cayley graph of the
/// group of all coordinate vectors modulo S_i steps in dimension i less T_i in the last, and S_q in the last.
/// Source    Camara, Moreto, Vallejo, Beivide, Miguel-Alonso, Martinez, Navaridas, Twisted torus topologies for enhanced
///           interconnection networks, TPDS 21 (2010); Camarero, Vallejo, Beivide (2014).
class TwistedTorus final : public OnGrid {
  public:
    /// `twists`: one for each side but the last, less than that.
    TwistedTorus(const std::vector<NodeId>& sides, std::vector<NodeId> twists)
        : OnGrid(fmt::format("twisted-torus:{},{}", fmt::join(sides, "x"), fmt::join(twists, "x")), GridKind::torus,
                 sides, 2),
          twists_(std::move(twists)), last_(static_cast<int>(sides.size()) - 1), last_side_(sides.back()) {
        twists_.push_back(0);
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const int i = Grid::dimension_of(p);
        LinkEnd end = grid().across(v, p);
        const bool wraps = Grid::is_plus(p) ? end.node < v : end.node > v;
        if (wraps && twist(i) > 0)
            end.node = grid().with_coordinate(end.node, last_,
                                              shifted(grid().coordinate(v, last_), twist(i), Grid::is_plus(p)));
        return end;
    }
    [[nodiscard]] Port degree(NodeId) const override { return ports(); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return nodes() * ports(); }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    /// A 2-colouring changes with each step, so the group's relations must have even lengths.
    [[nodiscard]] bool bipartite() const override {
        if (last_side_ % 2 == 1) return false;
        for (int i = 0; i < last_; ++i)
            if ((grid().side(i) + twist(i)) % 2 == 1) return false;
        return true;
    }

  protected:
    /// Returns w - v in the group.
    [[nodiscard]] NodeId seen_from(NodeId v, NodeId w) const override {
        NodeId seen = 0;
        NodeId last = shifted(grid().coordinate(w, last_), grid().coordinate(v, last_), false);
        for (int i = 0; i < last_; ++i) {
            const NodeId from = grid().coordinate(v, i);
            const NodeId to = grid().coordinate(w, i);
            if (to < from) last = shifted(last, twist(i), false);
            seen += (to < from ? to + grid().side(i) - from : to - from) * grid().stride(i);
        }
        return seen + last;
    }

  private:
    [[nodiscard]] NodeId twist(int i) const { return twists_[static_cast<std::size_t>(i)]; }
    /// Returns x + by or x - by modulo the last side.
    [[nodiscard]] NodeId shifted(NodeId x, NodeId by, bool plus) const {
        const NodeId forward = plus || by == 0 ? by : last_side_ - by;
        return x + forward < last_side_ ? x + forward : x + forward - last_side_;
    }

    std::vector<NodeId> twists_;  ///< that of the last dimension is 0
    int last_;
    NodeId last_side_;
};

std::shared_ptr<const Topology> build_twisted_torus(const Parameters& given) {
    const std::vector<Parameters> parts = given.parts(2);
    const std::vector<NodeId> sides = parts[0].numbers('x', {"side", 3, nodes_max});
    if (sides.size() < 2)
        given.refuse(fmt::format("one side, and nothing to twist; want two sides or more, or ring:{}", sides[0]));
    double nodes = 1;
    for (const NodeId side : sides) {
        nodes *= static_cast<double>(side);
        given.require_nodes(nodes);
    }
    const std::vector<NodeId> twists = parts[1].numbers('x', {"twist", 0, sides.back() - 1});
    if (twists.size() + 1 != sides.size())
        given.refuse(fmt::format("{} of {}; want {}, one for each side but the last", counted(twists.size(), "twist"),
                                 counted(sides.size(), "side"), sides.size() - 1));
    return std::make_shared<const TwistedTorus>(sides, twists);
}

}  // namespace

std::vector<TopologyFamily> families_in_twisted_torus() {
    return {{.name = "twisted-torus",
             .form = "twisted-torus:S1x..,T1x..",
             .about = "the torus S1x..xSq, where the wraparound of side i leads on by Ti in the last dimension",
             .build = build_twisted_torus,
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (NodeId side = 3; 3 * side <= nodes; ++side) {
                         if (nodes % side != 0) continue;
                         for (const NodeId twist : {NodeId{0}, NodeId{1}, nodes / side / 2})
                             found.push_back(fmt::format("{}x{},{}", side, nodes / side, twist));
                         if (nodes / side / 2 <= 1) found.pop_back();
                     }
                     if (nodes % 9 == 0 && nodes >= 27) found.push_back(fmt::format("3x3x{},1x2", nodes / 9));
                     return found;
                 },
             .drawn = DrawnAs::grid}};
}

}  // namespace kport
