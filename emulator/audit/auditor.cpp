#include "emulator/audit/auditor.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "emulator/base/error.hpp"

namespace kport {

Auditor::Auditor(const Machine& machine, const Promise& promise, unsigned shards, bool keep_rounds)
    : machine_(machine), topology_(machine.topology.get()), promise_(promise),
      reduces_(is_reduction(promise.operation)),
      ledger_(promise.operation == Operation::broadcast ? nullptr : std::make_unique<Ledger>(machine, promise, shards)),
      limit_(machine.ports.k()), half_duplex_(machine.duplex == Duplex::half),
      counts_uses_(half_duplex_ || (limit_ > 1 && limit_ < topology_->max_degree())), keep_rounds_(keep_rounds),
      records_(topology_->nodes()), uses_(topology_->nodes()), first_in_(topology_->nodes()), channels_(*topology_),
      shards_(shards) {
    invariant(promise.source < topology_->nodes(), "the source is a node");
}

Violation Auditor::violation(Breach breach, Round round, NodeId node, const Transfer& transfer) const {
    Violation v;
    v.breach = breach;
    v.round = round;
    v.node = node;
    v.other = node == transfer.from ? transfer.to : transfer.from;
    v.packet = transfer.packets.front().lowest(topology_->nodes());
    return v;
}

void Auditor::add(Shard& own, Breach breach, Round round, const Transfer& transfer) const {
    Violation v = violation(breach, round, transfer.from, transfer);
    v.port = transfer.route.front();
    own.log.add(v);
}

void Auditor::judge_sends(Shard& own, Round round, const Transfer& transfer) const {
    Violation v = violation(Breach::sends_exceed_ports, round, transfer.from, transfer);
    v.port = transfer.route.front();
    v.limit = machine_.ports_of(transfer.from);
    own.log.add(v);
}

void Auditor::judge_receives(Shard& own, Round round, const Transfer& transfer, Port in) const {
    Violation v = violation(Breach::receives_exceed_ports, round, transfer.to, transfer);
    v.port = arrived_by(transfer, in);
    v.limit = machine_.ports_of(transfer.to);
    own.log.add(v);
}

void Auditor::count_send(Shard& own, Round round, const Transfer& transfer, const NodeRecord& sender) {
    std::uint32_t& sends = uses_[transfer.from].sends;
    sends = sender.last_sent == round ? sends + 1 : 1;
    if (sends > machine_.ports_of(transfer.from)) judge_sends(own, round, transfer);
}

void Auditor::count_receive(Shard& own, Round round, const Transfer& transfer, Port in, const NodeRecord& receiver) {
    PortUses& uses = uses_[transfer.to];
    uses.receives = receiver.last_received == round ? uses.receives + 1 : 1;
    const std::uint64_t limit = machine_.ports_of(transfer.to);
    if (uses.receives > limit) {
        judge_receives(own, round, transfer, in);
    } else if (half_duplex_ && receiver.last_sent == round && std::uint64_t{uses.sends} + uses.receives > limit) {
        Violation v = violation(Breach::both_exceed_ports, round, transfer.to, transfer);
        v.port = arrived_by(transfer, in);
        v.limit = limit;
        own.log.add(v);
    }
}

Port Auditor::judge_missing_link(Shard& own, Round round, const Transfer& transfer) const {
    add(own, Breach::no_such_link, round, transfer);
    return topology_->port_to(transfer.to, transfer.from);
}

void Auditor::judge_jump(Shard& own, Round round, const Transfer& transfer) const {
    Violation v = violation(Breach::jumped, round, transfer.from, transfer);
    v.port = transfer.route.front();
    v.limit = transfer.route.size();
    own.log.add(v);
}

void Auditor::collect_channel(Shard& own, Round round, NodeId receiver, Port in) {
    if (machine_.switching == Switching::wormhole) return;  // paths() judges the channels of wormhole machines
    // A node that receives once uses its channel once. Of the others the channels are collected, by their receiving end.
    FirstIn& first = first_in_[receiver];
    const NodeRecord& record = records_[receiver];
    const auto collect = [&](Port port) {
        if (port != no_port)  // a link that does not exist is a breach of its own
            own.channels.push_back(receiver * topology_->ports() + port);
    };
    if (!std::exchange(first.collected, true))
        collect(record.first_received == round ? topology_->port_to(receiver, record.first_from) : first.port);
    collect(in);
}

void Auditor::judge_duplicate(Shard& own, Round round, const Transfer& transfer, Port in, NodeRecord& receiver) const {
    Violation v = violation(Breach::received_again, round, transfer.to, transfer);
    v.port = arrived_by(transfer, in);
    // Of several in the first round the lowest sender's is the first, in whatever order they are shown.
    if (receiver.first_received == round && transfer.from < receiver.first_from) {
        v.other = std::exchange(receiver.first_from, static_cast<std::uint32_t>(transfer.from));
        v.port = topology_->port_to(transfer.to, v.other);
    }
    v.earlier = receiver.first_received;
    own.log.add(v);  // finish() names the first sender
}

void Auditor::judge_own_packet(Shard& own, Round round, const Transfer& transfer, Port in,
                               const NodeRecord& receiver) const {
    Violation v = violation(Breach::received_own, round, transfer.to, transfer);
    v.port = arrived_by(transfer, in);
    v.earlier = receiver.last_sent;
    own.log.add(v);
}

/// The port of the receiver by which a message came in. received() knows it of single links; the end of a longer path is
/// looked for only where there is something to tell.
Port Auditor::arrived_by(const Transfer& transfer, Port in) const {
    if (in != no_port || machine_.switching == Switching::store_and_forward) return in;
    LinkEnd at{transfer.from, no_port};
    for (const Port port : transfer.route) {
        at = port < topology_->ports() ? topology_->across(at.node, port) : LinkEnd{};
        if (at.node == no_node) return no_port;
    }
    return at.node == transfer.to ? at.port : no_port;
}

/// Whether a path that leads where it should is not a simple one.
bool Auditor::visits_twice(const Transfer& transfer) const {
    if (transfer.from == transfer.to) return true;
    if (transfer.route.size() == topology_->distance(transfer.from, transfer.to))
        return false;  // a shortest path, as most are
    std::vector<NodeId> visited{transfer.from};
    for (const Port port : transfer.route) visited.push_back(topology_->across(visited.back(), port).node);
    std::sort(visited.begin(), visited.end());
    return std::adjacent_find(visited.begin(), visited.end()) != visited.end();
}

void Auditor::judge_channels(Shard& own, Round round) const {
    std::sort(own.channels.begin(), own.channels.end());
    for (std::size_t i = 1; i < own.channels.size(); ++i) {
        const std::uint64_t channel = own.channels[i];
        if (channel != own.channels[i - 1] || (i >= 2 && channel == own.channels[i - 2]))
            continue;  // told once a channel and round
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
    }
    own.channels.clear();
}

void Auditor::paths(Round round, const std::vector<Transfer>& transfers) {
    std::size_t hops = 0;
    for (const Transfer& transfer : transfers) hops += transfer.route.size();
    channels_.restart(round, hops);
    for (const Transfer& transfer : transfers) {
        NodeId at = transfer.from;
        for (const Port port : transfer.route) {
            const LinkEnd end = port < topology_->ports() ? topology_->across(at, port) : LinkEnd{};
            if (end.node != no_node) judge_channel(round, at, port, transfer.from);
            at = end.node;
            if (at == no_node) break;  // also a path that goes on behind its end leads nowhere
        }
        // A single link is judged by the receiver's shard.
        if (at != transfer.to && transfer.route.size() > 1) add(shards_.front(), Breach::no_such_link, round, transfer);
        if (at == transfer.to && visits_twice(transfer))
            add(shards_.front(), Breach::path_visits_twice, round, transfer);
    }
}

void Auditor::judge_channel(Round round, NodeId v, Port port, NodeId sender) {
    constexpr NodeId told = 0xFFFFFFFE;  // no node of a run has this number
    const NodeId owner = channels_.owner(v, port);
    if (owner == told) return;  // told once a channel and round
    channels_.take(v, port, owner == no_node ? sender : told);
    if (owner == no_node) return;
    Violation twice;
    twice.breach = Breach::channel_twice;
    twice.round = round;
    twice.node = v;
    twice.port = port;
    twice.earlier_other = std::min(owner, sender);  // in whatever order they are shown
    twice.other = std::max(owner, sender);
    log_.add(twice);
}

void Auditor::report(const Violation& violation) { log_.add(violation); }

void Auditor::report_at_end(Violation violation) {
    violation.round = static_cast<Round>(metrics_.rounds);
    report(violation);
}

RoundMetrics Auditor::end_round(Round round, std::span<const unsigned> shards) {
    RoundMetrics whole;
    whole.round = round;
    for (const unsigned index : shards) {
        Shard& shard = shards_[index];
        if (shard.round.transfers == 0) continue;
        if (!shard.channels.empty()) judge_channels(shard, round);
        whole.add(shard.round);
        shard.round = {};
        shard.last_hops = 0;
        shard.last_bytes = 0;
    }
    metrics_.add(whole);
    reached_ += whole.reached;
    if (keep_rounds_ && whole.transfers > 0) per_round_.push_back(whole);
    return whole;
}

void Auditor::find_missing(ViolationLog& log) const {
    for (NodeId v = 0; v < topology_->nodes(); ++v) {
        if (records_[v].first_received != 0 || v == promise_.source) continue;
        Violation missing;
        missing.breach = Breach::never_received;
        missing.round = static_cast<Round>(metrics_.rounds);
        missing.node = v;
        log.add(missing);
    }
}

Verdict Auditor::finish() {
    Verdict verdict = begin_verdict();
    ViolationLog log = merged_log();
    if (ledger_)
        std::tie(verdict.holders, verdict.promised) = ledger_->finish(static_cast<Round>(metrics_.rounds), log);
    else if (verdict.holders != topology_->nodes())
        find_missing(log);
    verdict.delivered = log.count(Rule::delivery) == 0;  // whoever is not served is a breach of its own
    fill(verdict, log);
    return verdict;
}

Verdict Auditor::finish_stopped() {
    Verdict verdict = begin_verdict();
    if (ledger_) std::tie(verdict.holders, verdict.promised) = ledger_->so_far();
    fill(verdict, merged_log());
    return verdict;
}

ViolationLog Auditor::merged_log() const {
    ViolationLog log = log_;
    for (const Shard& shard : shards_) log.merge(shard.log);
    return log;
}

Verdict Auditor::begin_verdict() {
    for (const Shard& shard : shards_)
        invariant(shard.round.transfers == 0, "every shard that was shown a transfer was closed");
    Verdict verdict;
    verdict.metrics = metrics_;
    verdict.per_round = std::move(per_round_);
    verdict.holders = reached_ + 1;
    verdict.promised = topology_->nodes();
    verdict.promised_at_root = promise_.operation == Operation::gather || promise_.operation == Operation::reduce;
    return verdict;
}

void Auditor::fill(Verdict& verdict, const ViolationLog& log) const {
    const auto kept = [&](Rule rule) { return log.count(rule) == 0; };
    verdict.violations = log.listed();
    for (Violation& v : verdict.violations)
        if (v.breach == Breach::received_again && !ledger_) v.earlier_other = records_[v.node].first_from;
    verdict.violation_count = log.count();
    for (std::size_t rule = 0; rule < rules; ++rule)
        verdict.violations_by_rule[rule] = log.count(static_cast<Rule>(rule));
    verdict.combining = kept(Rule::combining);
    verdict.nodup = kept(Rule::nodup);
    verdict.noho = kept(Rule::noho);
    verdict.ports = kept(Rule::ports);
    verdict.channels = kept(Rule::channel);
    verdict.strict = kept(Rule::strict);
}

}  // namespace kport
