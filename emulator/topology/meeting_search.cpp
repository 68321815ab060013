#include "emulator/topology/searches.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

/// All nodes up to a distance from a centre, and those at that distance.
class Ball {
  public:
    Ball(const Topology& graph, NodeId middle) : graph_(graph), distance_{{middle, 0}}, rim_{middle} {}

    void grow() {
        std::vector<NodeId> next;
        ++radius_;
        for (const NodeId v : rim_)
            for_each_neighbour(graph_, v, [&](NodeId w) {
                if (distance_.try_emplace(w, radius_).second) next.push_back(w);
            });
        rim_.swap(next);
    }
    [[nodiscard]] bool has(NodeId v, Hops distance) const {
        const auto found = distance_.find(v);
        return found != distance_.end() && found->second == distance;
    }
    [[nodiscard]] Hops radius() const { return radius_; }
    [[nodiscard]] std::uint64_t nodes() const { return distance_.size(); }
    [[nodiscard]] const std::vector<NodeId>& rim() const { return rim_; }

  private:
    const Topology& graph_;
    std::unordered_map<NodeId, Hops> distance_;
    std::vector<NodeId> rim_;
    Hops radius_ = 0;
};

/// Returns the nodes of the first ball on shortest paths, by distance from its centre: backwards from the common rim.
std::vector<std::unordered_set<NodeId>> on_shortest_ways(const Topology& graph, const Ball& from, const Ball& to) {
    std::vector<std::unordered_set<NodeId>> levels(from.radius() + 1);
    for (const NodeId v : from.rim())
        if (to.has(v, to.radius())) levels.back().insert(v);
    for (Hops d = from.radius(); d > 0; --d)
        for (const NodeId v : levels[d])
            for_each_neighbour(graph, v, [&](NodeId w) {
                if (from.has(w, d - 1)) levels[d - 1].insert(w);
            });
    return levels;
}

bool meet(const Ball& from, const Ball& to) {
    const auto& [small, large] = from.rim().size() < to.rim().size() ? std::tie(from, to) : std::tie(to, from);
    return std::ranges::any_of(small.rim(), [&](NodeId v) { return large.has(v, large.radius()); });
}

}  // namespace

std::optional<ShortestWay> meeting_search(const Topology& graph, NodeId from, NodeId to, std::uint64_t reached_max,
                                          std::uint64_t& reached) {
    Ball near(graph, from);
    Ball far(graph, to);
    // One level at a time: the rims meet as soon as the radii add up to the distance.
    while (!meet(near, far) && near.nodes() + far.nodes() <= reached_max)
        (near.rim().size() <= far.rim().size() ? near : far).grow();
    reached += near.nodes() + far.nodes();
    if (!meet(near, far)) return std::nullopt;
    const auto levels = on_shortest_ways(graph, near, far);
    const Hops hops = near.radius() + far.radius();
    const auto leads_nearer = [&](NodeId v, Hops gone) {
        return gone < levels.size() ? levels[gone].contains(v) : far.has(v, hops - gone);
    };
    ShortestWay way{{}, to};
    NodeId at = from;
    for (Hops gone = 1; gone <= hops; ++gone) {
        ShortestWay::Step step{at, no_port};
        for_each_neighbour(graph, step.at, [&](NodeId w, Port port) {
            if (step.port != no_port || !leads_nearer(w, gone)) return;
            step.port = port;
            at = w;
        });
        if (step.port == no_port)
            throw RequestError(fmt::format(
                "the links of {} are not links both ways: there is a way from node {} to node {}, and no way back",
                graph.spec(), to, from));
        way.steps.push_back(step);
    }
    return way;
}

}  // namespace kport
