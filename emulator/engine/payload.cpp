#include "emulator/engine/payload.hpp"

namespace kport {

PayloadCheck checked_payload(const PacketStore& store, bool has_own, const Collective& collective, NodeId nodes,
                             NodeId v, const Auditor& auditor) {
    const PacketSet own = collective.owned(v, nodes);
    PacketBlocks must = auditor.must_hold(v);
    if (!has_own) must = without(span_of(must), own.blocks());
    const PacketStore::Check found = store.check(v, span_of(must));
    PayloadCheck check;
    check.node = v;
    check.packets = size_of(span_of(must)) - common_size(span_of(must), own.blocks());
    if (!found.missing.empty())
        check.packets -= found.missing.size() - common_size(found.missing.blocks(), own.blocks());
    check.bytes = check.packets * collective.packet_bytes;
    check.lacking = found.missing.size() + found.wrong;
    if (!found.missing.empty()) check.missing = lowest_of(found.missing.blocks(), nodes);
    if (found.first) {
        check.differs = found.first->packet;
        check.byte = found.first->byte;
    }
    return check;
}

PayloadCheck checked_payload(const PacketMemory& memory, bool holds, const Collective& collective, NodeId v,
                             const Auditor& auditor) {
    PayloadCheck check;
    check.node = v;
    const bool must = auditor.must_hold_packet(v);
    if (!holds) {
        if (!must) return check;
        check.missing = 0;
        check.lacking = 1;
        return check;
    }
    if (must && v != collective.root) {
        check.packets = 1;
        check.bytes = collective.packet_bytes;
    }
    if (memory.intact(v)) [[likely]]
        return check;
    check.differs = 0;
    check.byte = memory.first_difference(v).value_or(0);
    check.lacking = must ? 1 : 0;
    return check;
}

}  // namespace kport
