#include "emulator/audit/auditor.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// One packet, or no promise: the records of the nodes say all.
bool needs_ledger(Operation operation) { return operation != Operation::broadcast && operation != Operation::none; }

}  // namespace

Auditor::Auditor(const Machine& machine, const Promise& promise, unsigned shards, bool keep_rounds)
    : machine_(machine), topology_(machine.topology.get()),
      promise_(promise.operation == Operation::none ? Promise::none() : promise),
      space_(promise.operation, topology_->nodes()), reduces_(is_reduction(promise.operation)),
      ledger_(needs_ledger(promise.operation) ? std::make_unique<Ledger>(machine, promise, shards) : nullptr),
      limit_(machine.ports.k()), half_duplex_(machine.duplex == Duplex::half),
      counts_uses_(half_duplex_ || machine.is_exclusive() || machine.noho == Noho::strict ||
                   (limit_ > 1 && limit_ < topology_->max_degree())),
      keep_rounds_(keep_rounds), records_(topology_->nodes()), uses_(topology_->nodes()), further_(topology_->nodes()),
      first_in_(topology_->nodes()), first_sent_(machine.noho == Noho::strict ? topology_->nodes() : 0),
      channels_(*topology_), shards_(shards) {
    invariant(promise.source < topology_->nodes(), "the source is a node");
    const NodeId nodes = topology_->nodes();
    const std::string what = fmt::format("counting {}-byte packets on {}", promise.packet_bytes, topology_->spec());
    (void)checked_product(packet_count(promise, nodes), promise.packet_bytes, what);
}

Violation Auditor::violation(Breach breach, Round round, NodeId node, const Transfer& transfer) const {
    Violation v;
    v.breach = breach;
    v.round = round;
    v.node = node;
    v.other = node == transfer.from ? transfer.to : transfer.from;
    if (!transfer.packets.empty()) v.packet = transfer.packets.front().lowest(topology_->nodes());
    return v;
}

void Auditor::add(Shard& own, Breach breach, Round round, const Transfer& transfer) const {
    Violation v = violation(breach, round, transfer.from, transfer);
    v.port = first_port(transfer);
    own.log.add(v);
}

namespace {

Breach breach_of(PacketFault fault) {
    switch (fault) {
        case PacketFault::no_packet: return Breach::no_packet;
        case PacketFault::no_such_packet: return Breach::no_such_packet;
        case PacketFault::packet_twice: return Breach::packet_twice;
        case PacketFault::no_step: return Breach::no_step;
        case PacketFault::beside_result: return Breach::beside_result;
        case PacketFault::none: break;
    }
    invariant(false, "packets that are no set have a fault");
    return Breach::no_packet;
}

}  // namespace

void Auditor::judge_packets(unsigned shard, Round round, const Transfer& transfer, const PacketSpace::Finding& why) {
    Shard& own = shards_[shard];
    Violation v = violation(breach_of(why.fault), round, transfer.from, transfer);
    v.port = first_port(transfer);
    v.packet = space_.number(why);
    // Of a contribution that a value has twice the fold is told (Runner::fold), once, however often the value is sent.
    if (!reduces_ || why.fault != PacketFault::packet_twice) own.log.add(v);
    if (!ledger_ || why.fault != PacketFault::packet_twice) return;
    const PacketBlocks once = distinct(transfer.packets);
    if (space_.allows(span_of(once)))
        ledger_->sent(shard, round, {transfer.from, transfer.to, transfer.route, span_of(once)}, own.log);
}

void Auditor::take_in_distinct(unsigned shard, Round round, const Transfer& transfer, const PacketSpace::Finding& why,
                               Port in) {
    if (!ledger_ || why.fault != PacketFault::packet_twice) return;
    const PacketBlocks once = distinct(transfer.packets);
    if (space_.allows(span_of(once)))
        ledger_->received(shard, round, {transfer.from, transfer.to, transfer.route, span_of(once)}, in,
                          shards_[shard].log);
}

void Auditor::judge_sends(Shard& own, Round round, const Transfer& transfer) const {
    Violation v = violation(Breach::sends_exceed_ports, round, transfer.from, transfer);
    v.port = first_port(transfer);
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
    if (machine_.noho == Noho::strict && first_sent_[transfer.from] == 0) first_sent_[transfer.from] = round;
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
    if (machine_.is_exclusive()) note_encounter(own, transfer);
}

void Auditor::note_encounter(Shard& own, const Transfer& transfer) {
    own.encounters.met(transfer.from, transfer.to);
    if (machine_.switching == Switching::wormhole || transfer.route.size() > 1) return;  // as collect_channel()
    const Port out = transfer.route.front();
    if (topology_->across(transfer.from, out).node == transfer.to)
        own.encounters.crossed(*topology_, transfer.from, out, transfer.from);
}

Port Auditor::judge_missing_link(Shard& own, Round round, const Transfer& transfer) const {
    add(own, Breach::no_such_link, round, transfer);
    suspect(own, transfer);
    return topology_->port_to(transfer.to, transfer.from);
}

void Auditor::judge_jump(Shard& own, Round round, const Transfer& transfer) const {
    Violation v = violation(Breach::jumped, round, transfer.from, transfer);
    v.port = first_port(transfer);
    v.limit = transfer.route.size();
    own.log.add(v);
    suspect(own, transfer);
}

void Auditor::suspect(Shard& own, const Transfer& transfer) const {
    if (channels_are_the_limit() && machine_.switching == Switching::store_and_forward)  // else paths() counts
        own.suspects.push_back({transfer.from, first_port(transfer)});
}

void Auditor::collect_channel(Shard& own, Round round, NodeId receiver, Port in) {
    if (machine_.switching == Switching::wormhole) return;  // paths() judges the channels of wormhole machines
    // A node that receives once uses its channel once. Of the others the channels are collected, by their receiving end.
    FirstIn& first = first_in_[receiver];
    const NodeRecord& record = records_[receiver];
    const auto collect = [&](Port port) {
        if (port != no_port)
            own.channels.push_back(receiver * topology_->ports() + port);
        else  // a link that does not exist is a breach of its own
            own.by_no_channel.push_back(receiver);
    };
    const bool follows_from_sender = record.first_received == round && first.port != no_port;
    if (!std::exchange(first.collected, true))
        collect(follows_from_sender ? topology_->port_to(receiver, record.first_from) : first.port);
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
    Round sent = receiver.last_sent;
    if (machine_.noho == Noho::strict && sent == round) sent = first_sent_[transfer.to];
    if (machine_.noho == Noho::strict && sent == round) return;
    Violation v = violation(Breach::received_own, round, transfer.to, transfer);
    v.port = arrived_by(transfer, in);
    v.earlier = sent;
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
        if (channels_are_the_limit()) own.suspects.push_back(sender);
    }
    if (channels_are_the_limit()) judge_receives_by_channels(own, round);
    own.channels.clear();
    own.by_no_channel.clear();
}

void Auditor::judge_receives_by_channels(Shard& own, Round round) const {
    std::ranges::sort(own.by_no_channel);
    const auto judge = [&](NodeId v, std::uint64_t receives, Port port) {
        if (receives <= machine_.ports_of(v)) return;
        Violation many;
        many.breach = Breach::receives_exceed_ports;
        many.round = round;
        many.node = v;
        many.port = port;
        many.other = port == no_port ? no_node : topology_->across(v, port).node;
        many.limit = machine_.ports_of(v);
        own.log.add(many);
    };
    // By receivers: so many channels, those that stand there twice counted twice, and so many messages by none.
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
        if (i > 0 && suspects[i - 1].node == sender.node) continue;  // told once
        const std::uint64_t limit = machine_.ports_of(sender.node);
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

void Auditor::paths(Round round, const std::vector<Transfer>& transfers) {
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
            if (at == no_node) break;  // also a path that goes on behind its end leads nowhere
        }
        all_lie_apart &= at == transfer.to;
        // A single link is judged by the receiver's shard.
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

/// Half duplex links: those of a path.
void Auditor::note_links(const Transfer& transfer) {
    NodeId at = transfer.from;
    for (const Port port : transfer.route) {
        shards_.front().encounters.crossed(*topology_, at, port, transfer.from);
        at = topology_->across(at, port).node;
    }
}

void Auditor::judge_encounters(Round round, std::span<const unsigned> shards) {
    Encounters& all = shards_.front().encounters;
    for (const unsigned index : shards)
        if (index != 0) all.take(shards_[index].encounters);
    all.judge(machine_, round, log_);
}

/// Whether the channel was free.
bool Auditor::judge_channel(Round round, NodeId v, Port port, NodeId sender) {
    constexpr NodeId told = 0xFFFFFFFE;  // no node of a run has this number
    const NodeId owner = channels_.owner(v, port);
    if (owner == told) return false;  // told once a channel and round
    channels_.take(v, port, owner == no_node ? sender : told);
    if (owner == no_node) return true;
    Violation twice;
    twice.breach = Breach::channel_twice;
    twice.round = round;
    twice.node = v;
    twice.port = port;
    twice.earlier_other = std::min(owner, sender);  // in whatever order they are shown
    twice.other = std::max(owner, sender);
    log_.add(twice);
    return false;
}

void Auditor::judge_ports_of_paths(Round round, const std::vector<Transfer>& transfers) {
    std::map<NodeId, std::uint64_t> sends;
    std::map<NodeId, std::uint64_t> receives;
    for (const Transfer& transfer : transfers) {
        Violation many;
        many.round = round;
        const auto judge = [&](Breach breach, NodeId v, NodeId other, std::uint64_t uses) {
            if (uses != std::uint64_t{machine_.ports_of(v)} + 1) return;  // told once a node
            many.breach = breach;
            many.node = v;
            many.other = other;
            many.limit = machine_.ports_of(v);
            log_.add(many);
        };
        judge(Breach::sends_exceed_ports, transfer.from, transfer.to, ++sends[transfer.from]);
        judge(Breach::receives_exceed_ports, transfer.to, transfer.from, ++receives[transfer.to]);
    }
}

namespace {

/// How many promised packets that came to the node are lost with it.
std::uint64_t lost_by(const Violation& violation) {
    if (violation.breach == Breach::passed_away) return violation.limit;
    return violation.breach == Breach::result_differs ? 1 : 0;
}

}  // namespace

void Auditor::report(const Violation& violation) {
    log_.add(violation);
    if (const std::uint64_t lost = lost_by(violation); lost > 0) lacking_[violation.node] += lost;
}

void Auditor::silent(Round first, std::uint64_t count) { append_silence(silent_, first, count); }

PacketBlocks Auditor::must_hold(NodeId v) const {
    if (!lacking_.empty() && lacking_.contains(v)) return {};  // already reported
    return ledger_->held_as_promised(v);
}

void Auditor::checked(const PayloadCheck& check) {
    compared(check.packets, check.bytes);
    if (check.lacking > 0) lacking_[check.node] += check.lacking;
    const auto tell = [&](Breach breach, PacketId packet, std::uint64_t byte) {
        Violation v;
        v.breach = breach;
        v.node = check.node;
        v.packet = packet;
        v.limit = byte;
        log_.add(v);
    };
    if (check.missing) tell(Breach::payload_missing, *check.missing, 0);
    if (check.differs) tell(Breach::payload_differs, *check.differs, check.byte);
}

void Auditor::report_at_end(Violation violation) {
    violation.round = static_cast<Round>(metrics_.rounds);
    report(violation);
}

RoundMetrics Auditor::end_round(Round round, std::span<const unsigned> shards) {
    if (machine_.is_exclusive()) judge_encounters(round, shards);
    RoundMetrics whole;
    whole.round = round;
    Shown sent;
    Shown received;
    std::vector<LinkEnd> suspects;
    for (const unsigned index : shards) {
        Shard& shard = shards_[index];
        sent += std::exchange(shard.sent, {});
        received += std::exchange(shard.received, {});
        if (shard.round.transfers == 0) continue;
        if (!shard.channels.empty() || !shard.by_no_channel.empty()) judge_channels(shard, round);
        if (!shard.suspects.empty()) [[unlikely]] {
            suspects.insert(suspects.end(), shard.suspects.begin(), shard.suspects.end());
            shard.suspects.clear();
        }
        whole.add(shard.round);
        shard.round = {};
        shard.last_hops = 0;
        shard.last_bytes = 0;
    }
    if (!suspects.empty()) [[unlikely]]
        judge_suspects(round, suspects);
    judge_shown(round, sent, received);
    if (sent.transfers != 0 || received.transfers != 0) judge_silence(round);
    require_countable(whole);
    metrics_.add(whole);
    reached_ += whole.reached;
    if (keep_rounds_ && whole.transfers > 0) per_round_.push_back(whole);
    return whole;
}

/// Bytes are summed up in 64 bits; a run that needs more is refused. No message is too large for them (see the constructor).
void Auditor::require_countable(const RoundMetrics& round) const {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    if (round.largest_bundle > most / std::max<std::uint64_t>(round.transfers, 1) ||
        round.largest_bundle > most - metrics_.volume || round.bytes > most - metrics_.bytes)
        throw DoesNotFit(fmt::format("counting the bytes up to round {} needs more than 64 bits", round.round));
}

void Auditor::judge_shown(Round round, const Shown& sent, const Shown& received) {
    const Shown paths = std::exchange(paths_, {});
    const auto tell = [&](Breach breach, std::uint64_t here, std::uint64_t there) {
        Violation v;
        v.breach = breach;
        v.round = round;
        v.limit = here;
        v.other = there;
        log_.add(v);
    };
    if (sent != received) [[unlikely]]
        tell(Breach::sides_differ, sent.transfers, received.transfers);
    if (machine_.switching == Switching::wormhole && sent != paths) [[unlikely]]
        tell(Breach::paths_differ, sent.transfers, paths.transfers);
    if (sent.rounds != sent.transfers * round || received.rounds != received.transfers * round) [[unlikely]]
        tell(Breach::wrong_round, sent.transfers, received.transfers);
}

/// Of the rounds since the one that was closed before, those of which nobody said that programs let them pass break a rule.
void Auditor::judge_silence(Round round) {
    const auto tell = [&](Breach breach, Round first, std::uint64_t count) {
        Violation v;
        v.breach = breach;
        v.round = first;
        v.limit = count;
        log_.add(v);
    };
    if (round <= closed_) {
        tell(Breach::round_again, round, closed_);
        return;
    }
    std::uint64_t next = std::uint64_t{closed_} + 1;
    for (const Silence& silence : silent_) {
        const std::uint64_t first = std::max<std::uint64_t>(silence.first, next);
        const std::uint64_t end = std::min<std::uint64_t>(silence.first + silence.count, round);
        if (first >= end) continue;
        if (first > next) tell(Breach::silent_round, static_cast<Round>(next), first - next);
        metrics_.silent_rounds += end - first;
        next = end;
    }
    if (next < round) tell(Breach::silent_round, static_cast<Round>(next), round - next);
    silent_.clear();
    closed_ = round;
}

void Auditor::judge_late() {
    Shown late;
    for (Shard& shard : shards_) {
        late += std::exchange(shard.sent, {});
        late += std::exchange(shard.received, {});
    }
    late += std::exchange(paths_, {});
    if (late.transfers == 0) return;
    Violation v;
    v.breach = Breach::shown_late;
    v.round = closed_;
    v.limit = late.transfers;
    log_.add(v);
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
    else if (verdict.holders != verdict.promised)
        find_missing(log);
    verdict.delivered = log.count(Rule::delivery) == 0;  // whoever is not served is a breach of its own
    take_away_lacking(verdict);
    fill(verdict, log);
    return verdict;
}

Verdict Auditor::finish_stopped() {
    Verdict verdict = begin_verdict();
    if (ledger_) std::tie(verdict.holders, verdict.promised) = ledger_->so_far();
    take_away_lacking(verdict);
    fill(verdict, merged_log());
    return verdict;
}

void Auditor::take_away_lacking(Verdict& verdict) const {
    for (const auto& [v, packets] : lacking_) {
        if (verdict.promised_at_root && v == promise_.source)
            verdict.holders -= std::min(verdict.holders, packets);
        else if (!verdict.promised_at_root &&
                 (ledger_ ? ledger_->satisfied_so_far(v) : records_[v].first_received != 0 || v == promise_.source))
            --verdict.holders;
    }
}

ViolationLog Auditor::merged_log() const {
    ViolationLog log = log_;
    for (const Shard& shard : shards_) log.merge(shard.log);
    return log;
}

Verdict Auditor::begin_verdict() {
    judge_late();
    Verdict verdict;
    verdict.compared_packets = compared_packets_;
    verdict.compared_bytes = compared_bytes_;
    verdict.metrics = metrics_;
    verdict.per_round = std::move(per_round_);
    if (promise_.operation != Operation::none) {
        verdict.holders = reached_ + 1;
        verdict.promised = topology_->nodes();
    }
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
    verdict.rounds = kept(Rule::rounds);
    verdict.transfers = kept(Rule::transfers);
}

}  // namespace kport
