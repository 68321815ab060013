#include "algorithms/support/cosets.hpp"

#include <algorithm>
#include <stdexcept>

#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {

NodeGroup::NodeGroup(const Topology& graph) : graph_(graph), words_(dynamic_cast<const Hypercube*>(&graph) != nullptr) {
    const auto* grid = dynamic_cast<const Grid*>(&graph);
    if (!words_ && (grid == nullptr || !grid->wraps())) throw std::invalid_argument("nodes of no group");
}

NodeId NodeGroup::sum(NodeId v, NodeId w) const {
    if (words_) return v ^ w;
    const auto& torus = static_cast<const Grid&>(graph_);
    for (int i = 0; i < torus.dimensions(); ++i)
        v = torus.with_coordinate(v, i, (torus.coordinate(v, i) + torus.coordinate(w, i)) % torus.side(i));
    return v;
}

std::vector<NodeId> NodeGroup::extended(std::span<const NodeId> subgroup, NodeId v) const {
    std::vector<NodeId> more(subgroup.begin(), subgroup.end());
    const std::vector<NodeId> old = more;
    for (NodeId shift = v; std::ranges::find(old, shift) == old.end(); shift = sum(shift, v))
        for (const NodeId w : old) more.push_back(sum(w, shift));
    return more;
}

Cosets::Cosets(const NodeGroup& group, std::span<const NodeId> subgroup) : group_(group) {
    constexpr std::uint32_t unknown = 0xFFFFFFFF;
    coset_.assign(group.graph().nodes(), unknown);
    for (NodeId v = 0; v < coset_.size(); ++v) {
        if (coset_[v] != unknown) continue;
        for (const NodeId h : subgroup) coset_[group.sum(v, h)] = count();
        lowest_.push_back(v);
    }
}

std::optional<Cosets::End> Cosets::across(std::uint32_t coset, Port port) const {
    const LinkEnd end = group_.graph().across(lowest_[coset], port);
    if (end.node == no_node || coset_[end.node] == coset) return std::nullopt;
    return End{coset_[end.node], end.port};
}

std::optional<Cosets::Routes> Cosets::disjoint_routes(std::span<const std::uint32_t> to) const {
    std::vector<bool> used(arc(count(), 0));
    std::vector<bool> wanted(count());
    for (const std::uint32_t coset : to) wanted[coset] = true;
    for (std::size_t i = 0; i < to.size(); ++i)
        if (!augment(used, wanted)) return std::nullopt;
    for (const std::uint32_t coset : to) wanted[coset] = true;
    Routes routes;
    for (std::size_t i = 0; i < to.size(); ++i) routes.push_back(taken(used, wanted));
    return routes;
}

bool Cosets::augment(std::vector<bool>& used, std::vector<bool>& wanted) const {
    struct Came {
        std::uint32_t from;
        Port port;  ///< of `from`; if `back`, of this coset
        bool back;
    };
    constexpr std::uint32_t nowhere = 0xFFFFFFFF;
    std::vector<Came> came(count(), {nowhere, 0, false});
    std::vector<std::uint32_t> queue{0};
    came[0].from = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const std::uint32_t here = queue[i];
        for (Port port = 0; port < group_.graph().ports(); ++port) {
            const auto end = across(here, port);
            if (!end || came[end->coset].from != nowhere) continue;
            // Cancels against a route in the opposite direction.
            const bool back = used[arc(end->coset, end->port)];
            if (!back && used[arc(here, port)]) continue;
            came[end->coset] = {here, back ? end->port : port, back};
            queue.push_back(end->coset);
            if (!wanted[end->coset]) continue;
            wanted[end->coset] = false;
            for (std::uint32_t at = end->coset; at != 0; at = came[at].from)
                used[came[at].back ? arc(at, came[at].port) : arc(came[at].from, came[at].port)] = !came[at].back;
            return true;
        }
    }
    return false;
}

std::vector<Port> Cosets::taken(std::vector<bool>& used, std::vector<bool>& ends) const {
    std::vector<Port> route;
    std::vector<std::uint32_t> seen{0};
    for (std::uint32_t at = 0; at == 0 || !ends[at];) {
        Port port = 0;
        while (!used[arc(at, port)]) ++port;
        used[arc(at, port)] = false;
        at = across(at, port)->coset;
        route.push_back(port);
        // Removes cycles from the path.
        const auto before = std::ranges::find(seen, at);
        route.resize(static_cast<std::size_t>(before - seen.begin()));
        if (before != seen.end())
            seen.erase(before + 1, seen.end());
        else
            seen.push_back(at);
    }
    ends[seen.back()] = false;
    return route;
}

}  // namespace kport
