#include "emulator/audit/auditor.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace kport {

void Auditor::judge_channels(Shard& own, Round round) const {
    std::sort(own.channels.begin(), own.channels.end());
    for (std::size_t i = 1; i < own.channels.size(); ++i) {
        const std::uint64_t channel = own.channels[i];
        if (channel != own.channels[i - 1] || (i >= 2 && channel == own.channels[i - 2]))
            continue;  // reported once a channel and round
        const NodeId receiver = channel / topology_->ports();
        const LinkEnd sender = topology_->across(receiver, static_cast<Port>(channel % topology_->ports()));
        Violation v;
        v.breach = Breach::channel_twice;
        v.round = round;
        v.node = sender.node;
        v.port = sender.port;
        v.other = sender.node;
        v.earlier_other = sender.node;
        own.log.add(v);
        if (channels_are_the_limit()) own.suspects.push_back(sender);
    }
    if (channels_are_the_limit()) judge_receives_by_channels(own, round);
    own.channels.clear();
    own.by_no_channel.clear();
}

void Auditor::judge_receives_by_channels(Shard& own, Round round) const {
    std::ranges::sort(own.by_no_channel);
    const auto judge = [&](NodeId v, std::uint64_t receives, Port port) {
        if (receives <= machine_.receives_of(v)) return;
        Violation many;
        many.breach = Breach::receives_exceed_ports;
        many.round = round;
        many.node = v;
        many.port = port;
        many.other = port == no_port ? no_node : topology_->across(v, port).node;
        many.limit = machine_.receives_of(v);
        own.log.add(many);
    };
    // By receiver: its channels, repeated ones counted twice, and its messages that came by no channel.
    auto by_none = own.by_no_channel.begin();
    for (auto first = own.channels.begin(); first != own.channels.end();) {
        const NodeId v = *first / topology_->ports();
        const auto last = std::find_if(first, own.channels.end(),
                                       [&](std::uint64_t channel) { return channel / topology_->ports() != v; });
        const auto twice = std::adjacent_find(first, last);
        by_none = std::lower_bound(by_none, own.by_no_channel.end(), v);
        const auto none_end = std::upper_bound(by_none, own.by_no_channel.end(), v);
        if (twice != last || by_none != none_end)
            judge(v, static_cast<std::uint64_t>((last - first) + (none_end - by_none)),
                  static_cast<Port>((twice != last ? *twice : *first) % topology_->ports()));
        first = last;
    }
    for (auto first = own.by_no_channel.begin(); first != own.by_no_channel.end();) {
        const auto last = std::upper_bound(first, own.by_no_channel.end(), *first);
        const bool has_channels = std::ranges::binary_search(own.channels, *first, {},
                                                             [&](std::uint64_t c) { return c / topology_->ports(); });
        if (!has_channels) judge(*first, static_cast<std::uint64_t>(last - first), no_port);
        first = last;
    }
}

void Auditor::judge_suspects(Round round, std::vector<LinkEnd>& suspects) {
    std::ranges::sort(suspects, {}, [](const LinkEnd& end) { return std::pair(end.node, end.port); });
    for (std::size_t i = 0; i < suspects.size(); ++i) {
        const LinkEnd& sender = suspects[i];
        if (i > 0 && suspects[i - 1].node == sender.node) continue;  // reported once
        if (!share_.contains(sender.node)) continue;
        const std::uint64_t limit = machine_.sends_of(sender.node);
        const FurtherSends& further = further_[sender.node];
        if (further.round != round || further.sends <= limit) continue;
        Violation many;
        many.breach = Breach::sends_exceed_ports;
        many.round = round;
        many.node = sender.node;
        many.port = sender.port;
        many.other = sender.port < topology_->ports() ? topology_->across(sender.node, sender.port).node : no_node;
        many.limit = limit;
        log_.add(many);
    }
}

void Auditor::paths(Round round, std::span<const Transfer> transfers) {
    if (!is_first_) return;
    if (topology_->fabric() != nullptr) return paths_in_fabric(round, transfers);
    std::size_t hops = 0;
    for (const Transfer& transfer : transfers) hops += transfer.route.size();
    channels_.restart(round, hops);
    bool all_lie_apart = true;
    for (const Transfer& transfer : transfers) {
        paths_.add(round, transfer);
        NodeId at = transfer.from;
        for (const Port port : transfer.route) {
            const LinkEnd end = port < topology_->ports() ? topology_->across(at, port) : LinkEnd{};
            if (end.node != no_node) all_lie_apart &= judge_channel(round, at, port, transfer.from);
            at = end.node;
            if (at == no_node) break;  // a path that continues behind its end leads nowhere, too
        }
        all_lie_apart &= at == transfer.to;
        // Single links are judged by the receiver's shard.
        if (at != transfer.to && transfer.route.size() != 1)
            add(shards_.front(), Breach::no_such_link, round, transfer);
        if (at != transfer.to) continue;
        if (visits_twice(transfer))
            add(shards_.front(), Breach::path_visits_twice, round, transfer);
        else if (machine_.links == Duplex::half)
            note_links(transfer);
    }
    if (!all_lie_apart && channels_are_the_limit()) judge_ports_of_paths(round, transfers);
}

/// Whether a path to the right node visits a node twice.
bool Auditor::visits_twice(const Transfer& transfer) const {
    if (transfer.from == transfer.to) return true;
    if (transfer.route.size() == topology_->distance(transfer.from, transfer.to))
        return false;  // a shortest path visits no node twice
    std::vector<NodeId> visited{transfer.from};
    for (const Port port : transfer.route) visited.push_back(topology_->across(visited.back(), port).node);
    std::sort(visited.begin(), visited.end());
    return std::adjacent_find(visited.begin(), visited.end()) != visited.end();
}

/// Collects the half duplex links of a path.
void Auditor::note_links(const Transfer& transfer) {
    NodeId at = transfer.from;
    for (const Port port : transfer.route) {
        shards_.front().encounters.crossed(*topology_, at, port, transfer.from);
        at = topology_->across(at, port).node;
    }
}

/// Takes the channel. Returns whether it was free.
bool Auditor::judge_channel(Round round, NodeId v, Port port, NodeId sender) {
    constexpr NodeId told = 0xFFFFFFFE;  // no node of a run has this number
    const NodeId owner = channels_.owner(v, port);
    if (owner == told) return false;  // reported once a channel and round
    channels_.take(v, port, owner == no_node ? sender : told);
    if (owner == no_node) return true;
    note_shared_channel(round, v, port, owner, sender);
    return false;
}

void Auditor::note_shared_channel(Round round, NodeId v, Port port, NodeId one, NodeId other) {
    Violation twice;
    twice.breach = Breach::channel_twice;
    twice.round = round;
    twice.node = v;
    twice.port = port;
    twice.earlier_other = std::min(one, other);  // independent of the order in which they are shown
    twice.other = std::max(one, other);
    log_.add(twice);
}

void Auditor::judge_ports_of_paths(Round round, std::span<const Transfer> transfers) {
    std::map<NodeId, std::uint64_t> sends;
    std::map<NodeId, std::uint64_t> receives;
    for (const Transfer& transfer : transfers) {
        Violation many;
        many.round = round;
        const auto judge = [&](Breach breach, NodeId v, NodeId other, std::uint64_t uses, Port limit) {
            if (uses != std::uint64_t{limit} + 1) return;  // reported once a node
            many.breach = breach;
            many.node = v;
            many.other = other;
            many.limit = limit;
            log_.add(many);
        };
        judge(Breach::sends_exceed_ports, transfer.from, transfer.to, ++sends[transfer.from],
              machine_.sends_of(transfer.from));
        judge(Breach::receives_exceed_ports, transfer.to, transfer.from, ++receives[transfer.to],
              machine_.receives_of(transfer.to));
    }
}

}  // namespace kport
