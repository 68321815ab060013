#include "emulator/engine/arbiter.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "emulator/base/error.hpp"

namespace kport {

void Arbiter::serve(Round round, Partition::Partitions& partitions) {
    gather(round, partitions);
    grant(round, partitions);
    move(round, partitions);
    keep_waiting();
}

void Arbiter::gather(Round round, Partition::Partitions& partitions) {
    for (const auto& partition : partitions)
        partition->for_each_posted([&](const Message& message) {
            const std::uint64_t begin = routes_.size();
            if (world_.wormhole) {
                const std::span<const Port> route = partition->route(message);
                routes_.insert(routes_.end(), route.begin(), route.end());
            } else {
                routes_.push_back(message.out);
            }
            claims_.push_back(
                {message, round, routes_[begin], begin, static_cast<std::uint32_t>(routes_.size() - begin)});
        });
    std::sort(claims_.begin(), claims_.end(), [](const Claim& a, const Claim& b) {
        return std::tuple(a.since, a.message.from, a.first_port) < std::tuple(b.since, b.message.from, b.first_port);
    });
}

void Arbiter::grant(Round round, Partition::Partitions& partitions) {
    round_ = round;
    channels_.restart(round, routes_.size());
    for (const Claim& claim : claims_) {
        world_.claims[claim.message.from].restart(round);
        world_.claims[claim.message.to].restart(round);
    }
    first_at_.clear();
    for (const Claim& claim : claims_) {
        const Obstacle obstacle = this->obstacle(claim);
        Partition& sender = *partitions[world_.deal.home(claim.message.from)];
        const bool is_new = claim.since == round;
        if (obstacle.kind == Obstacle::Kind::none) {
            take(claim, round);
            granted_.push_back(claim);
            if (!is_new) sender.free_port(claim.message.from);
            continue;
        }
        if (is_new) {
            sender.hold_port(claim.message.from);
            report_strict(sender, claim, obstacle, round);
        }
        waiting_.push_back(claim);
        waiting_.back().message = sender.kept(claim.message);
    }
    invariant(!granted_.empty(), "a round in which messages wait moves at least one");
}

template <class Visit>
void Arbiter::walk(const Claim& claim, Visit&& visit) const {
    NodeId at = claim.message.from;
    for (std::uint32_t i = 0; i < claim.hops; ++i) {
        const Port port = routes_[claim.route_begin + i];
        if (!visit(at, port)) return;
        if (i + 1 < claim.hops) at = world_.topology.across(at, port).node;
    }
}

Arbiter::Obstacle Arbiter::obstacle(const Claim& claim) const {
    const Obstacle at_ends = obstacle_at_ends(claim);
    return at_ends.kind != Obstacle::Kind::none ? at_ends : obstacle_on_path(claim);
}

Arbiter::Obstacle Arbiter::obstacle_at_ends(const Claim& claim) const {
    // A sender starts at most k sends by itself (Partition::emit); its receives count against it on half duplex ports.
    const Machine& machine = world_.job.machine;
    const bool half = machine.duplex == Duplex::half;
    const auto [from, to] = std::pair(NodeId{claim.message.from}, NodeId{claim.message.to});
    const auto port_at = [&](NodeId v) { return v == to ? claim.message.in : claim.first_port; };
    const auto ports_taken = [&](NodeId v) { return world_.claims[v].count() >= machine.ports_of(v); };
    for (const NodeId v : {from, to}) {
        if ((!half && v == from) || !ports_taken(v)) continue;
        const auto first = first_at_.find(v);
        return {Obstacle::Kind::ports, v, port_at(v), first == first_at_.end() ? no_node : first->second};
    }
    if (!machine.pairwise) return {};
    for (const auto& [v, partner] : {std::pair(from, to), std::pair(to, from)})
        if (met_[v].round == round_ && met_[v].partner != partner)
            return {Obstacle::Kind::partner, v, port_at(v), met_[v].partner};
    return {};
}

Arbiter::Obstacle Arbiter::obstacle_on_path(const Claim& claim) const {
    const bool half = world_.job.machine.links == Duplex::half;
    Obstacle found;
    walk(claim, [&](NodeId at, Port port) {
        if (const NodeId owner = channels_.owner(at, port); owner != no_node) {
            found = {Obstacle::Kind::channel, at, port, owner};
        } else if (half) {
            const LinkEnd end = world_.topology.across(at, port);
            if (const NodeId other = channels_.owner(end.node, end.port); other != no_node)
                found = {Obstacle::Kind::link, at, port, other};
        }
        return found.kind == Obstacle::Kind::none;
    });
    return found;
}

void Arbiter::take(const Claim& claim, Round round) {
    const Machine& machine = world_.job.machine;
    world_.claims[claim.message.to].add(round);
    if (machine.duplex == Duplex::half) world_.claims[claim.message.from].add(round);
    if (machine.pairwise) {
        met_[claim.message.from] = {round, claim.message.to};
        met_[claim.message.to] = {round, claim.message.from};
    }
    if (machine.policy == Policy::strict)
        for (const NodeId v : {NodeId{claim.message.from}, NodeId{claim.message.to}})
            first_at_.try_emplace(v, claim.message.from);
    walk(claim, [&](NodeId at, Port port) {
        channels_.take(at, port, claim.message.from);
        return true;
    });
}

void Arbiter::report_strict(const Partition& sender, const Claim& claim, const Obstacle& obstacle, Round round) {
    if (world_.job.machine.policy != Policy::strict) return;
    Violation v;
    switch (obstacle.kind) {
        case Obstacle::Kind::none: return;
        case Obstacle::Kind::ports: v.breach = Breach::would_wait_receive; break;
        case Obstacle::Kind::partner: v.breach = Breach::would_wait_partner; break;
        case Obstacle::Kind::channel: v.breach = Breach::would_wait_channel; break;
        case Obstacle::Kind::link: v.breach = Breach::would_wait_link; break;
    }
    v.round = round;
    v.node = obstacle.node;
    v.port = obstacle.port;
    PacketBlock single;
    v.packet = sender.packets_of(claim.message, single).front().lowest(world_.topology.nodes());
    v.other = claim.message.from;
    v.earlier_other = obstacle.winner;
    world_.auditor.report(v);
}

void Arbiter::move(Round round, Partition::Partitions& partitions) {
    // As Partition::put_in_order(), and as listeners want it.
    std::sort(granted_.begin(), granted_.end(), [](const Claim& a, const Claim& b) {
        return std::tuple(a.message.from, a.first_port) < std::tuple(b.message.from, b.first_port);
    });
    std::vector<PacketBlock> packets(granted_.size());
    std::vector<Transfer> transfers(granted_.size());
    for (std::size_t i = 0; i < granted_.size(); ++i) {
        const Claim& claim = granted_[i];
        Partition& sender = *partitions[world_.deal.home(claim.message.from)];
        transfers[i] = {claim.message.from,
                        claim.message.to,
                        {routes_.data() + claim.route_begin, claim.hops},
                        sender.packets_of(claim.message, packets[i])};
        sender.accept_sent(round, transfers[i]);
    }
    world_.rounds.moved(round, transfers);  // before bodies end with their receivers
    for (std::size_t i = 0; i < granted_.size(); ++i) {
        const Message& message = granted_[i].message;
        partitions[world_.deal.home(message.to)]->accept_received(round, message, transfers[i]);
    }
}

void Arbiter::discard(Partition::Partitions& partitions) {
    for (const Claim& claim : claims_) partitions[world_.deal.home(claim.message.to)]->discard(claim.message);
    claims_.clear();
}

void Arbiter::keep_waiting() {
    routes_of_waiting_.clear();
    waiting_partitions_.clear();
    for (Claim& claim : waiting_) {
        waiting_partitions_.push_back(world_.deal.home(claim.message.from));
        waiting_partitions_.push_back(world_.deal.home(claim.message.to));
        const auto begin = routes_.begin() + static_cast<std::ptrdiff_t>(claim.route_begin);
        claim.route_begin = routes_of_waiting_.size();
        routes_of_waiting_.insert(routes_of_waiting_.end(), begin, begin + claim.hops);
    }
    routes_.swap(routes_of_waiting_);
    claims_.swap(waiting_);
    waiting_.clear();
    granted_.clear();
}

}  // namespace kport
