#include "app/stress/random_traffic.hpp"

#include <algorithm>
#include <numeric>

#include "emulator/topology/fabric.hpp"

namespace kport {

RandomPlan::RandomPlan(const Case& c, bool repeats)
    : machine_(c.machine), topology_(*machine_.topology), collective_(c.collective), nodes_(topology_.nodes()),
      dice_(mixed(c.seed)), repeats_(repeats), takes_any_(dice_.happens(0.5)), declares_(dice_.happens(0.5)),
      others_receive_(!takes_any_ && dice_.happens(0.5)), sleeps_(dice_.happens(0.5)),
      pausing_(dice_.happens(0.3) ? 0.1 : 0), steps_(nodes_) {
    if (collective_.folds())
        plan_values();
    else
        plan_packets();
    for (std::size_t m = 0; m < messages_.size(); ++m) {
        steps_[messages_[m].from].push_back({m, true});
        steps_[messages_[m].to].push_back({m, false});
    }
    for (NodeId v = 0; v < nodes_; ++v) draw_steps(v);
}

void RandomPlan::draw_steps(NodeId v) {
    constexpr Round pause_max = 9;
    std::vector<Step>& steps = steps_[v];
    if (!others_receive_) send_own_first(v);
    // The last message has come even if it is not received, but a node of a barrier must not leave before it knows of
    // all.
    const double leaving = !collective_.signals() ? 0.1 : repeats_ ? 0.3 : 0;
    if (!takes_any_ && !reduces() && dice_.happens(leaving)) leave_last(v);
    const bool begins_by_mail = others_receive_ && !steps.empty() && !steps.front().sends;
    begins_.push_back(!begins_by_mail && dice_.happens(0.2) ? static_cast<Round>(dice_.between(2, pause_max)) : 1);
    for (std::size_t i = begins_by_mail ? 1 : 0; i < steps.size(); ++i)
        if (dice_.happens(pausing_)) steps[i].pause = static_cast<Round>(dice_.between(1, pause_max));
    if (repeats_ && nodes_ > 1 && dice_.happens(0.02)) waits_in_vain_.insert(v);
}

void RandomPlan::leave_last(NodeId v) {
    while (!steps_[v].empty() && !steps_[v].back().sends) steps_[v].pop_back();
}

bool RandomPlan::depends_on_order() const {
    std::vector<std::set<NodeId>> senders(nodes_);
    for (const Message& message : messages_) senders[message.to].insert(message.from);
    if (!takes_any_ && !others_receive_)  // a node started by mail takes what comes first
        for (const NodeId v : starters()) senders[v].clear();
    return !others_receive_ && std::ranges::any_of(senders, [](const auto& some) { return some.size() > 1; });
}

std::vector<NodeId> RandomPlan::starters() const {
    std::vector<NodeId> starters;
    for (NodeId v = 0; v < nodes_; ++v)
        if (steps_[v].empty() ? v == collective_.root : steps_[v].front().sends && !waits_for_mail_.contains(v))
            starters.push_back(v);
    return starters;
}

void RandomPlan::send_own_first(NodeId v) {
    std::vector<Step>& steps = steps_[v];
    if (steps.empty() || steps.front().sends || reduces() || !dice_.happens(0.5)) return;
    const PacketSet own = owned_by(v);
    const auto first = std::ranges::find_if(steps, &Step::sends);
    if (first != steps.end() && own.covers(messages_[first->message].packets.blocks()))
        std::rotate(steps.begin(), first, first + 1);
    waits_for_mail_.insert(v);
}

// --------------------------------------------------------------------------------------------------------------- trees

std::vector<NodeId> RandomPlan::tree(NodeId root, const std::vector<NodeId>& wanted) {
    std::vector<NodeId> parent(nodes_, no_node);
    if (wormhole()) {
        std::vector<NodeId> in_tree = {root};
        const double straight = dice_.happens(0.5) ? 1 : 0.3;  // all from the root: they compete for its ports
        for (const NodeId v : shuffled(wanted)) {
            parent[v] = dice_.happens(straight) ? root : in_tree[dice_.below(in_tree.size())];
            in_tree.push_back(v);
        }
        return parent;
    }
    // Any tree of the graph, grown link by link, then pruned to the wanted nodes.
    std::vector<std::pair<NodeId, NodeId>> links;
    std::vector<bool> reached(nodes_);
    const auto reach = [&](NodeId v) {
        reached[v] = true;
        for_each_neighbour(topology_, v, [&](NodeId w) { links.emplace_back(v, w); });
    };
    std::vector<NodeId> grown(nodes_, no_node);
    for (reach(root); !links.empty();) {
        std::swap(links[dice_.below(links.size())], links.back());
        const auto [v, w] = links.back();
        links.pop_back();
        if (reached[w]) continue;
        grown[w] = v;
        reach(w);
    }
    for (NodeId v : wanted)
        for (; v != root && parent[v] == no_node; v = grown[v]) parent[v] = grown[v];
    return parent;
}

std::vector<NodeId> RandomPlan::shuffled(std::vector<NodeId> nodes) {
    dice_.shuffle(nodes);
    return nodes;
}

// ------------------------------------------------------------------------------------------------------------- packets

void RandomPlan::plan_packets() {
    std::vector<PacketSet> wanted_by;
    for (NodeId v = 0; v < nodes_; ++v) wanted_by.push_back(collective_.wanted(v, nodes_));
    std::vector<Edge> edges;
    for (NodeId owner = 0; owner < nodes_; ++owner) {
        const PacketSet own = collective_.owned(owner, nodes_);
        for (const PacketBlock& block : own.blocks())
            for (std::uint64_t n = 0; n < block.size(); ++n) {
                const auto j = static_cast<std::uint32_t>(n / block.count);
                const auto i = static_cast<std::uint32_t>(n % block.count);
                const PacketBlock packet{block.columns()[i], 1, 1, block.all_rows()[j], 1, 1};
                std::vector<NodeId> wanting;
                for (NodeId v = 0; v < nodes_; ++v)
                    if (v != owner && wanted_by[v].covers({&packet, 1})) wanting.push_back(v);
                add_edges(owner, packet, tree(owner, wanting), edges);
            }
    }
    put_in_order(edges);
}

void RandomPlan::add_edges(NodeId owner, const PacketBlock& packet, const std::vector<NodeId>& parent,
                           std::vector<Edge>& edges) {
    const std::size_t first = edges.size();
    std::map<NodeId, std::size_t> edge_to;
    for (NodeId v = 0; v < parent.size(); ++v)
        if (parent[v] != no_node) {
            edge_to[v] = edges.size();
            edges.push_back({parent[v], v, packet, none});
        }
    if (repeats_) repeat(owner, packet, parent, edges);
    for (std::size_t e = first; e < edges.size(); ++e)
        if (edges[e].from != owner && !(repeats_ && dice_.happens(0.02))) edges[e].parent = edge_to.at(edges[e].from);
}

void RandomPlan::repeat(NodeId owner, const PacketBlock& packet, const std::vector<NodeId>& parent,
                        std::vector<Edge>& edges) {
    for (NodeId from = 0; from < nodes_ && nodes_ > 1; ++from) {
        if ((from != owner && parent[from] == no_node) || !dice_.happens(0.2)) continue;
        const NodeId to = wormhole() ? dice_.below(nodes_)
                                     : topology_.across(from, static_cast<Port>(dice_.below(topology_.ports()))).node;
        const bool has_it = to == owner || (to != no_node && parent[to] != no_node);
        if (has_it && to != from && parent[to] != from) edges.push_back({from, to, packet, none});
    }
}

void RandomPlan::put_in_order(const std::vector<Edge>& edges) {
    std::vector<std::vector<std::size_t>> after(edges.size());
    std::vector<std::size_t> ready;
    for (std::size_t e = 0; e < edges.size(); ++e)
        (edges[e].parent == none ? ready : after[edges[e].parent]).push_back(e);
    const double bundling = machine_.combining && !broadcasts() ? 0.5 : 0;
    const bool passes = repeats_ && !broadcasts() && !collective_.signals();
    while (!ready.empty()) {
        std::swap(ready[dice_.below(ready.size())], ready.back());
        const std::size_t next = ready.back();
        const bool bundle = dice_.happens(bundling);
        const auto stays = [&](std::size_t e) {
            const bool joins = edges[e].from == edges[next].from && edges[e].to == edges[next].to;
            return e != next && !(bundle && joins);
        };
        const auto going = std::partition(ready.begin(), ready.end(), stays);
        const std::vector<std::size_t> gone(going, ready.end());
        ready.erase(going, ready.end());
        Message message{edges[next].from, edges[next].to, {}, passes && dice_.happens(0.1)};
        for (const std::size_t e : gone) {
            message.packets.add(edges[e].packet);
            ready.insert(ready.end(), after[e].begin(), after[e].end());
        }
        add(std::move(message));
    }
}

// -------------------------------------------------------------------------------------------------------------- values

void RandomPlan::plan_values() {
    std::vector<NodeId> all(nodes_);
    std::iota(all.begin(), all.end(), NodeId{0});
    std::erase(all, collective_.root);
    const std::vector<NodeId> parent = tree(collective_.root, all);
    std::vector<std::size_t> children(nodes_);
    for (const NodeId p : parent)
        if (p != no_node) ++children[p];
    std::vector<NodeId> ready;
    for (const NodeId v : all)
        if (children[v] == 0) ready.push_back(v);
    while (!ready.empty()) {
        std::swap(ready[dice_.below(ready.size())], ready.back());
        const NodeId v = ready.back();
        ready.pop_back();
        add({v, parent[v], {}});
        if (--children[parent[v]] == 0 && parent[v] != collective_.root) ready.push_back(parent[v]);
    }
}

// -------------------------------------------------------------------------------------------------------------- routes

void RandomPlan::add(Message message) {
    const auto [place, is_new] = routes_.try_emplace({message.from, message.to});
    if (is_new) place->second = drawn_route(message.from, message.to);
    messages_.push_back(std::move(message));
}

RandomPlan::Route RandomPlan::drawn_route(NodeId from, NodeId to) {
    Route route = own_route(from, to);
    if (!routes_messages() || !dice_.happens(0.3)) return route;
    if (topology_.fabric() != nullptr) {
        const Route other = fabric_route(from, to, static_cast<Port>(dice_.below(topology_.wires().labels(from))));
        return other.empty() || !is_simple(from, other) ? route : other;
    }
    const NodeId by = dice_.below(nodes_);
    Route detour = own_route(from, by);
    const Route rest = own_route(by, to);
    detour.insert(detour.end(), rest.begin(), rest.end());
    return detour.empty() || !is_simple(from, detour) ? route : detour;
}

RandomPlan::Route RandomPlan::fabric_route(NodeId from, NodeId to, Port first) const {
    const Fabric& fabric = *topology_.fabric();
    const NodeId next = fabric.across(from, first).node;
    Route route = {first};
    if (next == to) return route;
    const bool leads_on =
        next != no_node &&
        (wormhole() || (fabric.is_switch(next) && fabric.route_through_switches(next, to) != no_port));
    if (!leads_on) return {};
    fabric.append_route(next, to, wormhole(), route);
    return route;
}

RandomPlan::Route RandomPlan::own_route(NodeId from, NodeId to) const {
    if (!routes_messages()) return {topology_.port_to(from, to)};
    Route route;
    if (topology_.fabric() != nullptr) {
        topology_.fabric()->append_route(from, to, wormhole(), route);
        return route;
    }
    for (; from != to; from = topology_.across(from, route.back()).node) route.push_back(topology_.route(from, to));
    return route;
}

bool RandomPlan::is_simple(NodeId at, const Route& route) const {
    std::set<NodeId> visited = {at};
    return std::ranges::all_of(
        route, [&](Port port) { return visited.insert(at = topology_.wires().across(at, port).node).second; });
}

}  // namespace kport
