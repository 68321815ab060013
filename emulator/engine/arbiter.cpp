#include "emulator/engine/arbiter.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

void Arbiter::serve(Round round, Partition::Partitions& partitions, const RankMail& mail) {
    gather(round, partitions, mail);
    grant(round, partitions);
    move(round, partitions);
    end_round();
}

void Arbiter::gather(Round round, const Partition::Partitions& partitions, const RankMail& mail) {
    const auto gather_of = [&](const auto& sender, const Message& message) {
        // Routes stay where they are to the end of the round.
        add_claim(round, message, world_.wormhole ? sender.route(message) : std::span<const Port>());
    };
    for (const auto& partition : partitions)
        partition->for_each_posted([&](const Message& message) { gather_of(*partition, message); });
    for (const RankMail::Batch& batch : mail.batches())
        for (const Message& message : batch.messages) gather_of(mail, message);
    std::ranges::stable_sort(claims_, {}, &Claim::order);  // over a trunk some may go the same way
}

void Arbiter::add_claim(Round round, const Message& message, std::span<const Port> route) {
    if (world_.job.machine.limits_of(message.to).receives() == 0)
        throw RequestError(fmt::format("round {}: node {} is sent a message, and has no receives: ports '{}'", round,
                                       world_.topology.name(message.to),
                                       world_.job.machine.limits_of(message.to).text()));
    Claim& claim = claims_.emplace_back(Claim{message, round, message.out, 1, nullptr, false});
    if (route.empty()) {
        if (!world_.wormhole) return;
        claim.chooses = true;
        claim.first_port = 0;
        claim.hops = static_cast<std::uint32_t>(routes_.links(message.from, message.to));
        return;
    }
    claim.first_port = route.front();
    claim.hops = static_cast<std::uint32_t>(route.size());
    claim.ports = route.data();
}

bool Arbiter::has_free_port(NodeId receiver) const {
    return granted_to_[receiver].count(round_) < world_.job.machine.receives_of(receiver);
}

void Arbiter::grant(Round round, Partition::Partitions& partitions) {
    round_ = round;
    std::size_t hops = waiting_hops_;
    for (const Claim& claim : claims_) {
        hops += claim.hops;
        for (const NodeId v : {claim.message.from, claim.message.to}) granted_to_[v].restart(round);  // not granted yet
    }
    channels_.restart(round, hops);
    first_at_.clear();
    grant_waiting(round, partitions);
    for (Claim claim : claims_) {
        const Obstacle obstacle = this->obstacle(claim);
        if (obstacle.kind == Obstacle::Kind::none) {
            take(claim, round);
            granted_.push_back(claim);
            continue;
        }
        Partition& sender = *partitions[world_.deal.home(claim.message.from)];
        sender.hold_port(claim.message.from);
        report_strict(sender, claim, obstacle, round);
        let_wait(claim, sender);
    }
    if (granted_.empty())
        throw RequestError(
            fmt::format("round {}: no message can move; {} says of a node that it has fewer links than "
                        "across() gives it",
                        round, world_.topology.spec()));
}

void Arbiter::grant_waiting(Round round, Partition::Partitions& partitions) {
    // The claim that is next in order is the next of some queue.
    const auto next = [](const Queue* queue) -> const Claim& { return queue->claims[queue->next].claim; };
    const auto comes_later = [&](const Queue* a, const Queue* b) { return next(a).order() > next(b).order(); };
    std::vector<Queue*> heads;
    for (auto& [receiver, queue] : queues_) heads.push_back(&queue);
    std::ranges::make_heap(heads, comes_later);
    while (!heads.empty()) {
        std::ranges::pop_heap(heads, comes_later);
        Queue& queue = *heads.back();
        WaitingClaim& waiting = queue.claims[queue.next++];
        Claim claim = waiting.claim;
        if (obstacle(claim).kind == Obstacle::Kind::none) {
            take(claim, round);
            granted_.push_back(claim);
            partitions[world_.deal.home(claim.message.from)]->free_port(claim.message.from);
            if (!claim.chooses) granted_routes_.push_back(std::move(waiting.route));
            count_waiting(claim, -1);
            waiting.claim.hops = 0;  // it has moved
        }
        if (queue.next < queue.claims.size() && has_free_port(claim.message.to))
            std::ranges::push_heap(heads, comes_later);
        else
            heads.pop_back();
    }
}

void Arbiter::count_waiting(const Claim& claim, std::ptrdiff_t change) {
    waiting_hops_ += static_cast<std::size_t>(change) * claim.hops;
    for (const NodeId v : {claim.message.from, claim.message.to})
        waiting_at_[world_.deal.home(v)] += static_cast<std::size_t>(change);
}

void Arbiter::let_wait(const Claim& claim, Partition& sender) {
    WaitingClaim& waiting = queues_[claim.message.to].claims.emplace_back(WaitingClaim{claim, nullptr});
    waiting.claim.message = sender.kept_to_move(claim.message);
    if (claim.hops > 1 && !claim.chooses) {
        waiting.route = std::make_unique_for_overwrite<Port[]>(claim.hops);
        std::ranges::copy(claim.route(), waiting.route.get());
        waiting.claim.ports = waiting.route.get();
    }
    count_waiting(claim, 1);
}

template <class Visit>
void Arbiter::walk(const Claim& claim, Visit&& visit) const {
    NodeId at = claim.message.from;
    for (const Port& port : claim.route()) {
        if (!visit(at, port)) return;
        if (&port != &claim.route().back()) at = wires_.across(at, port).node;
    }
}

Arbiter::Obstacle Arbiter::obstacle(Claim& claim) {
    const Obstacle at_ends = obstacle_at_ends(claim);
    if (at_ends.kind != Obstacle::Kind::none) return at_ends;
    return claim.chooses ? choose_route(claim) : obstacle_on_path(claim);
}

Arbiter::Obstacle Arbiter::obstacle_at_ends(const Claim& claim) const {
    // A sender starts at most S sends by itself (Partition::emit); its receives count against it on half duplex ports,
    // which have one limit.
    const Machine& machine = world_.job.machine;
    const bool half = machine.duplex == Duplex::half;
    const auto [from, to] = std::pair(NodeId{claim.message.from}, NodeId{claim.message.to});
    const auto port_at = [&](NodeId v) { return v == to ? claim.message.in : claim.first_port; };
    const auto ports_taken = [&](NodeId v) { return granted_to_[v].count(round_) >= machine.receives_of(v); };
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
    Obstacle found;
    walk(claim, [&](NodeId at, Port port) {
        found = obstacle_at(at, port);
        return found.kind == Obstacle::Kind::none;
    });
    return found;
}

Arbiter::Obstacle Arbiter::obstacle_at(NodeId at, Port port) const {
    if (const NodeId owner = channels_.owner(at, port); owner != no_node)
        return {Obstacle::Kind::channel, at, port, owner};
    // In a fabric the table of channels knows both directions.
    if (world_.job.machine.links != Duplex::half || world_.fabric != nullptr) return {};
    const LinkEnd end = world_.topology.across(at, port);
    const NodeId other = channels_.owner(end.node, end.port);
    return other == no_node ? Obstacle{} : Obstacle{Obstacle::Kind::link, at, port, other};
}

Arbiter::Obstacle Arbiter::choose_route(Claim& claim) {
    const auto [from, to] = std::pair(NodeId{claim.message.from}, NodeId{claim.message.to});
    const auto is_free = [this](NodeId at, Port port) { return obstacle_at(at, port).kind == Obstacle::Kind::none; };
    const bool found = routes_.first_free(from, to, is_free, chosen_);
    if (!found) routes_.first(from, to, chosen_);
    Claim routed = claim;
    put_route(routed, chosen_);
    if (!found) return obstacle_on_path(routed);
    claim = routed;
    return {};
}

void Arbiter::put_route(Claim& claim, const std::vector<Port>& route) {
    claim.first_port = route.front();
    claim.ports = granted_routes_.emplace_back(std::make_unique_for_overwrite<Port[]>(route.size())).get();
    std::ranges::copy(route, granted_routes_.back().get());
    if (world_.fabric != nullptr) return;  // there a message comes in by the port of its sender
    NodeId at = claim.message.from;
    for (const Port port : route) {
        const LinkEnd end = world_.topology.across(at, port);
        at = end.node;
        claim.message.in = end.port;
    }
}

void Arbiter::take(const Claim& claim, Round round) {
    const Machine& machine = world_.job.machine;
    granted_to_[claim.message.to].add(round);
    if (machine.duplex == Duplex::half) granted_to_[claim.message.from].add(round);
    if (machine.pairwise) {
        met_[claim.message.from] = {round, claim.message.to};
        met_[claim.message.to] = {round, claim.message.from};
    }
    if (machine.policy == Policy::strict) {
        first_at_.try_emplace(claim.message.to, claim.message.from);
        if (machine.duplex == Duplex::half) first_at_.try_emplace(claim.message.from, claim.message.from);
    }
    walk(claim, [&](NodeId at, Port port) {
        channels_.take(at, port, claim.message.from);
        return true;
    });
}

void Arbiter::report_strict(const Partition& sender, const Claim& claim, const Obstacle& obstacle, Round round) {
    if (world_.job.machine.policy != Policy::strict || !ranks_.is_first()) return;  // all ranks see the same
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
    FewBlocks few;
    v.packet = sender.packets_of(claim.message, few).front().lowest(world_.topology.nodes());
    v.other = claim.message.from;
    v.earlier_other = obstacle.winner;
    world_.auditor.report(v);
}

void Arbiter::move(Round round, Partition::Partitions& partitions) {
    // As Partition::put_in_order(), and as listeners want it.
    std::stable_sort(granted_.begin(), granted_.end(), [](const Claim& a, const Claim& b) {
        return std::tuple(a.message.from, a.first_port, a.message.to) <
               std::tuple(b.message.from, b.first_port, b.message.to);
    });
    std::vector<FewBlocks> packets(granted_.size());
    std::vector<Transfer> transfers(granted_.size());
    for (std::size_t i = 0; i < granted_.size(); ++i) {
        const Claim& claim = granted_[i];
        Partition& sender = *partitions[world_.deal.home(claim.message.from)];
        transfers[i] = {claim.message.from, claim.message.to, claim.route(),
                        sender.packets_of(claim.message, packets[i])};
        if (sender.is_own()) sender.accept_sent(round, transfers[i]);
    }
    world_.rounds.moved(round, transfers);  // before bodies end with their receivers
    for (std::size_t i = 0; i < granted_.size(); ++i) {
        const Message& message = granted_[i].message;
        Partition& receiver = *partitions[world_.deal.home(message.to)];
        if (receiver.is_own())
            receiver.accept_received(round, message, transfers[i]);
        else
            receiver.discard(message);
    }
}

void Arbiter::discard(Partition::Partitions& partitions) {
    for (const auto& [receiver, queue] : queues_)
        for (std::size_t i = queue.begin; i < queue.claims.size(); ++i)
            partitions[world_.deal.home(receiver)]->discard(queue.claims[i].claim.message);
    queues_.clear();
}

void Arbiter::end_round() {
    claims_.clear();
    granted_.clear();
    granted_routes_.clear();
    // Of what was looked at, what moved is at an end, and the rest stands before the others again.
    const auto has_moved = [](const WaitingClaim& waiting) { return waiting.claim.hops == 0; };
    for (auto at = queues_.begin(); at != queues_.end();) {
        auto& [claims, begin, next] = at->second;
        const auto place = [&](std::size_t i) { return claims.begin() + static_cast<std::ptrdiff_t>(i); };
        const auto rest = std::stable_partition(place(begin), place(std::max(begin, next)), has_moved);
        begin = next = static_cast<std::size_t>(rest - claims.begin());
        if (2 * begin >= claims.size()) {
            claims.erase(claims.begin(), rest);
            begin = next = 0;
        }
        at = claims.empty() ? queues_.erase(at) : std::next(at);
    }
    waiting_partitions_.clear();
    for (unsigned index = 0; index < waiting_at_.size(); ++index)
        if (waiting_at_[index] != 0) waiting_partitions_.push_back(index);
}

}  // namespace kport
