#include "emulator/audit/auditor.hpp"

#include <utility>

namespace kport {

void Auditor::take_in_distinct(unsigned shard, Round round, const Transfer& transfer, const PacketSpace::Finding& why,
                               Port in) {
    if (!ledger_ || why.fault != PacketFault::packet_twice) return;
    const PacketBlocks once = distinct(transfer.packets);
    if (space_.allows(span_of(once)))
        ledger_->received(shard, round, {transfer.from, transfer.to, transfer.route, span_of(once)}, in,
                          shards_[shard].log);
}

void Auditor::judge_receives(Shard& own, Round round, const Transfer& transfer, Port in) const {
    Violation v = violation(Breach::receives_exceed_ports, round, transfer.to, transfer);
    v.port = arrived_by(transfer, in);
    v.limit = machine_.receives_of(transfer.to);
    own.log.add(v);
}

void Auditor::count_receive(Shard& own, Round round, const Transfer& transfer, Port in, const NodeRecord& receiver) {
    PortUses& uses = uses_[transfer.to];
    uses.receives = receiver.last_received == round ? uses.receives + 1 : 1;
    const std::uint64_t limit = machine_.receives_of(transfer.to);
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
    if (has_paths_ || transfer.route.size() > 1) return;  // as collect_channel()
    const Port out = transfer.route.front();
    if (wires_->across(transfer.from, out).node == transfer.to)
        own.encounters.crossed(*wires_, transfer.from, out, transfer.from);
}

Port Auditor::judge_missing_link(Shard& own, Round round, const Transfer& transfer) const {
    add(own, Breach::no_such_link, round, transfer);
    suspect(own, transfer);
    return wires_->port_to(transfer.to, transfer.from);
}

void Auditor::judge_jump(Shard& own, Round round, const Transfer& transfer) const {
    Violation v = violation(Breach::jumped, round, transfer.from, transfer);
    v.port = first_port(transfer);
    v.limit = transfer.route.size();
    own.log.add(v);
    suspect(own, transfer);
}

void Auditor::suspect(Shard& own, const Transfer& transfer) const {
    if (channels_are_the_limit() && !has_paths_)  // else paths() counts
        own.suspects.push_back({transfer.from, first_port(transfer)});
}

void Auditor::collect_channel(Shard& own, Round round, NodeId receiver, Port in) {
    if (has_paths_) return;               // paths() judges the channels
    if (brief_) return ledger_->doubt();  // by which channel the first one came is not known
    // A node that receives once uses its channel once. From the second receive on, channels are collected by their
    // receiving end.
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
    // Of several senders in the first round the lowest counts as the first, in whatever order the transfers are shown.
    if (receiver.first_received == round && transfer.from < receiver.first_from) {
        v.other = std::exchange(receiver.first_from, static_cast<std::uint32_t>(transfer.from));
        v.port = wires_->port_to(transfer.to, v.other);
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

/// Returns the receiver's port by which a message came in. received() knows it for single links; for longer paths it is
/// computed only when it is reported.
Port Auditor::arrived_by(const Transfer& transfer, Port in) const {
    if (in != no_port || !has_paths_) return in;
    LinkEnd at{transfer.from, no_port};
    for (const Port port : transfer.route) {
        at = port < wires_->ports() ? wires_->across(at.node, port) : LinkEnd{};
        if (at.node == no_node) return no_port;
    }
    return at.node == transfer.to ? at.port : no_port;
}

}  // namespace kport
