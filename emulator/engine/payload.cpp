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

}  // namespace kport
