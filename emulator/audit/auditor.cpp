#include "emulator/audit/auditor.hpp"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Returns the collective by whose promises the auditor judges.
Collective judged(const Collective& collective) { return collective.promises() ? collective : Collective::none(); }

/// Whether the node records do not suffice: they do for a broadcast of one packet, and where nothing is promised.
bool needs_ledger(const Collective& collective) { return collective.promises() && !collective.one_packet(); }

}  // namespace

Auditor::Auditor(const Machine& machine, const Collective& collective, unsigned shards, bool keep_rounds,
                 std::size_t listed_max, const NodeShare& share, bool is_first, bool brief)
    : machine_(machine), topology_(machine.topology.get()), wires_(&topology_->wires()),
      has_paths_(machine.has_paths()), collective_(judged(collective)), space_(collective, topology_->nodes()),
      promises_(collective.promises()), reduces_(collective.folds()),
      segments_(collective.segments(topology_->nodes())), sizes_differ_(collective.has_sizes()),
      ledger_(needs_ledger(collective) ? std::make_unique<Ledger>(machine, collective, shards, share, brief) : nullptr),
      limit_(machine.ports.k()), half_duplex_(machine.duplex == Duplex::half),
      counts_uses_(!machine.has_one_limit() || half_duplex_ || machine.is_exclusive() || machine.noho == Noho::strict ||
                   (limit_ > 1 && (limit_ < topology_->max_degree() || topology_->fabric() != nullptr))),
      brief_(brief), keep_rounds_(keep_rounds), share_(share), is_first_(is_first), records_(topology_->nodes(), share),
      uses_(topology_->nodes(), share), further_(topology_->nodes(), share), first_in_(topology_->nodes(), share),
      first_sent_(machine.noho == Noho::strict ? topology_->nodes() : 0, share), channels_(machine), shards_(shards),
      log_(collective_.rules, listed_max) {
    for (Shard& shard : shards_) shard.log = ViolationLog(collective_.rules, listed_max);
    const NodeId nodes = topology_->nodes();
    if (brief && !may_be_brief(machine, collective))
        throw RequestError(
            fmt::format("a brief auditor cannot judge this {}; Auditor::may_be_brief() says of which it can",
                        name(collective.operation)));
    if (collective.root >= nodes)
        throw RequestError(
            fmt::format("root '{}': {} has nodes 0 to {}", collective.root, topology_->spec(), nodes - 1));
    const std::string what = fmt::format("counting {}-byte packets on {}", collective.packet_bytes, topology_->spec());
    (void)checked_product(collective.packets(nodes), collective.packet_bytes, what);
}

bool Auditor::may_be_brief(const Machine& machine, const Collective& collective) {
    const bool receives_singly =
        collective.operation->carries == Carries::copies && collective.packets_each > 1 && machine.ports.k() == 1;
    const bool is_scatter = collective.operation == Operation::scatter && collective.counts == nullptr;
    return (receives_singly || is_scatter) && machine.has_one_limit() && !machine.has_paths() &&
           machine.duplex == Duplex::full && machine.noho == Noho::wide && !machine.is_exclusive();
}

Violation Auditor::violation(Breach breach, Round round, NodeId node, const Transfer& transfer) const {
    Violation v;
    v.breach = breach;
    v.round = round;
    v.node = node;
    v.other = node == transfer.from ? transfer.to : transfer.from;
    if (!transfer.packets.empty()) v.name_packet(transfer.packets.first(1), topology_->nodes(), segments_);
    return v;
}

void Auditor::add(Shard& own, Breach breach, Round round, const Transfer& transfer) const {
    Violation v = violation(breach, round, transfer.from, transfer);
    v.port = first_port(transfer);
    own.log.add(v);
}

}  // namespace kport
