#include "emulator/audit/auditor.hpp"

#include "emulator/base/error.hpp"

namespace kport {

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
    if (segments_ > 1) {
        v.packet = why.column;
        v.segment = static_cast<std::uint32_t>(why.row);
    }
    own.log.add(v);
    if (!ledger_ || why.fault != PacketFault::packet_twice) return;
    const PacketBlocks once = distinct(transfer.packets);
    if (space_.allows(span_of(once)))
        ledger_->sent(shard, round, {transfer.from, transfer.to, transfer.route, span_of(once)}, own.log);
}

void Auditor::judge_sends(Shard& own, Round round, const Transfer& transfer) const {
    Violation v = violation(Breach::sends_exceed_ports, round, transfer.from, transfer);
    v.port = first_port(transfer);
    v.limit = machine_.sends_of(transfer.from);
    own.log.add(v);
}

void Auditor::count_send(Shard& own, Round round, const Transfer& transfer, const NodeRecord& sender) {
    std::uint32_t& sends = uses_[transfer.from].sends;
    sends = sender.last_sent == round ? sends + 1 : 1;
    if (sends > machine_.sends_of(transfer.from)) judge_sends(own, round, transfer);
    if (machine_.noho == Noho::strict && first_sent_[transfer.from] == 0) first_sent_[transfer.from] = round;
}

}  // namespace kport
