#include <algorithm>
#include <vector>

#include "emulator/audit/auditor.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

void Auditor::paths_in_fabric(Round round, std::span<const Transfer> transfers) {
    std::size_t hops = 0;
    for (const Transfer& transfer : transfers) hops += transfer.route.size();
    channels_.restart(round, hops);
    for (const Transfer& transfer : transfers) {
        paths_.add(round, transfer);
        const NodeId end = judge_path_in_fabric(round, transfer);
        // Single links are judged by the receiver's shard.
        if (end != transfer.to && transfer.route.size() != 1)
            add(shards_.front(), Breach::no_such_link, round, transfer);
    }
}

/// Judges the nodes and the channels of a path; returns its end, no_node where it leads nowhere.
NodeId Auditor::judge_path_in_fabric(Round round, const Transfer& transfer) {
    const Fabric& fabric = *topology_->fabric();
    std::vector<NodeId> visited{transfer.from};
    for (const Port port : transfer.route) {
        const LinkEnd end = port < fabric.ports() ? fabric.across(visited.back(), port) : LinkEnd{};
        if (end.node == no_node) return no_node;
        judge_trunk(round, visited.back(), port, transfer.from);
        visited.push_back(end.node);
    }
    const NodeId last = visited.back();
    if (last != transfer.to) return last;
    const auto inner_host =
        std::find_if(visited.begin() + 1, visited.end() - 1, [&](NodeId v) { return !fabric.is_switch(v); });
    if (machine_.switching == Switching::store_and_forward && inner_host < visited.end() - 1) {
        Violation passes = violation(Breach::passes_host, round, transfer.from, transfer);
        passes.port = first_port(transfer);
        passes.earlier_other = *inner_host;
        log_.add(passes);
    }
    std::ranges::sort(visited);
    if (std::ranges::adjacent_find(visited) != visited.end())
        add(shards_.front(), Breach::path_visits_twice, round, transfer);
    return last;
}

void Auditor::judge_trunk(Round round, NodeId v, Port port, NodeId sender) {
    const NodeId owner = channels_.owner_one_way(v, port);
    const NodeId on_link = channels_.owner(v, port);
    channels_.take(v, port, sender);
    if (owner != no_node) return note_shared_channel(round, v, port, owner, sender);
    if (on_link == no_node) return;
    // More than the half duplex link carries in both directions together.
    const LinkEnd end = topology_->fabric()->across(v, port);
    const LinkEnd low = end.node < v ? end : LinkEnd{v, port};
    Violation both;
    both.breach = Breach::link_both_ways;
    both.round = round;
    both.node = low.node;
    both.port = low.port;
    both.earlier_other = on_link;
    both.other = sender;
    log_.add(both);
}

}  // namespace kport
