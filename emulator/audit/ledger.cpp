#include "emulator/audit/ledger.hpp"

#include <algorithm>

namespace kport {

Ledger::Ledger(const Machine& machine, const Promise& promise, unsigned shards)
    : promise_(promise), nodes_(machine.topology->nodes()), combining_(machine.combining),
      reduces_(is_reduction(promise.operation)), books_(nodes_), by_shard_(shards), unheld_sent_(shards) {}

Ledger::Books& Ledger::books(unsigned shard, NodeId v) {
    if (books_[v] == nullptr) {
        Books& fresh = by_shard_[shard].emplace_back();
        fresh.held = owned(promise_, v, nodes_);
        books_[v] = &fresh;
    }
    return *books_[v];
}

Violation Ledger::violation(Breach breach, Round round, NodeId node, const Transfer& transfer,
                            std::span<const PacketBlock> packets) const {
    Violation v;
    v.breach = breach;
    v.round = round;
    v.node = node;
    v.other = node == transfer.from ? transfer.to : transfer.from;
    PacketId lowest = packets.front().lowest(nodes_);
    for (const PacketBlock& block : packets) lowest = std::min(lowest, block.lowest(nodes_));
    v.packet = lowest;
    return v;
}

bool Ledger::holds(Books& own, NodeId v, std::span<const PacketBlock> packets) const {
    if (common_size(packets, own.held.blocks()) == size_of(packets)) return true;
    // The result of a reduction is made where all contributions have come together.
    const PacketBlock result = result_packet(nodes_);
    if (!reduces_ || packets.size() != 1 || packets.front() != result) return false;
    Promise root = promise_;
    root.operation = Operation::allreduce;
    const PacketSet all = wanted(root, v, nodes_);
    if (common_size(all.blocks(), own.held.blocks()) != nodes_) return false;
    own.held.add(result);
    return true;
}

void Ledger::sent(unsigned shard, Round round, const Transfer& transfer, ViolationLog& log) {
    Books& own = books(shard, transfer.from);
    const auto told = [&](Breach breach, std::span<const PacketBlock> packets) {
        Violation v = violation(breach, round, transfer.from, transfer, packets);
        v.port = transfer.route.empty() ? no_port : transfer.route.front();
        v.limit = size_of(transfer.packets);
        log.add(v);
    };
    if (!combining_ && !reduces_ && size_of(transfer.packets) != 1) told(Breach::bundled, transfer.packets);
    if (!holds(own, transfer.from, transfer.packets)) {
        told(Breach::sent_unheld, span_of(without(transfer.packets, own.held.blocks())));
        unheld_sent_[shard] = 1;
    }
    const std::uint64_t again = common_size(transfer.packets, own.sent.blocks());
    if (again == own.sent.size())  // all that was sent before, as partial results hold it
        own.sent.clear();
    if (again == 0 || own.sent.empty())
        own.sent.add(transfer.packets);
    else
        own.sent.add(without(transfer.packets, own.sent.blocks()));
}

void Ledger::received(unsigned shard, Round round, const Transfer& transfer, Port in, ViolationLog& log) {
    Books& own = books(shard, transfer.to);
    const std::uint64_t known = common_size(transfer.packets, own.held.blocks());
    if (known == 0 && unheld_sent_[shard] == 0) [[likely]] {
        own.held.add(transfer.packets);
        return;
    }
    const auto told = [&](Breach breach, const PacketSet& packets) {
        Violation v = violation(breach, round, transfer.to, transfer, packets.blocks());
        v.port = in;
        log.add(v);
    };
    const PacketSet own_packets = owned(promise_, transfer.to, nodes_);
    PacketSet again;
    PacketSet own_again;
    for (const PacketBlock& packet : transfer.packets) {
        for (const PacketBlock& sent : own.sent.blocks())
            if (const auto both = common(packet, sent)) own_again.add(*both);
        for (const PacketBlock& held : own.held.blocks())
            if (const auto both = common(packet, held))
                for (const PacketBlock& block : without({&*both, 1}, own_packets.blocks())) again.add(block);
    }
    if (!again.empty()) told(Breach::received_again, again);
    if (!own_again.empty()) told(Breach::received_own, own_again);
    own.held.add(without(transfer.packets, own.held.blocks()));
}

void Ledger::result(unsigned shard, Round round, NodeId v, std::span<const PacketBlock> contributions,
                    ViolationLog& log) {
    Books& own = books(shard, v);
    const PacketSet right = wanted(promise_, v, nodes_);
    const std::uint64_t size = size_of(contributions);
    own.result = Result::right;
    if (size == right.size() && common_size(contributions, right.blocks()) == size) [[likely]]
        return;
    own.result = Result::wrong;
    const auto judge = [&](Breach breach, const PacketBlocks& packets) {
        if (packets.empty()) return;
        Violation found = violation(breach, round, v, Transfer{v, v, {}, {}}, span_of(packets));
        found.other = no_node;
        log.add(found);
    };
    judge(Breach::result_lacks, without(right.blocks(), contributions));
    judge(Breach::result_exceeds, without(contributions, right.blocks()));
}

PacketBlocks Ledger::missing(NodeId v) const {
    const PacketSet right = wanted(promise_, v, nodes_);
    const PacketSet own = books_[v] == nullptr ? owned(promise_, v, nodes_) : PacketSet();
    const std::span<const PacketBlock> held = books_[v] == nullptr ? own.blocks() : books_[v]->held.blocks();
    if (common_size(right.blocks(), held) == right.size()) return {};
    return without(right.blocks(), held);
}

bool Ledger::satisfied(NodeId v, Round last, ViolationLog& log) const {
    Violation lacks;
    lacks.round = last;
    lacks.node = v;
    if (reduces_) {
        const Result result = books_[v] == nullptr ? Result::none : books_[v]->result;
        if (result != Result::none) return result == Result::right;  // what is wrong with it has been told
        lacks.breach = Breach::never_a_result;
    } else {
        const PacketBlocks rest = missing(v);
        if (rest.empty()) return true;
        lacks.packet = rest.front().lowest(nodes_);
        for (const PacketBlock& block : rest) lacks.packet = std::min(lacks.packet, block.lowest(nodes_));
    }
    log.add(lacks);
    return false;
}

std::pair<std::uint64_t, std::uint64_t> Ledger::finish(Round last, ViolationLog& log) {
    if (promise_.operation == Operation::gather || promise_.operation == Operation::reduce) {
        if (satisfied(promise_.source, last, log)) return {nodes_, nodes_};
        return {std::min(nodes_ - 1, nodes_ - size_of(span_of(missing(promise_.source)))), nodes_};
    }
    std::uint64_t satisfied_nodes = 0;
    for (NodeId v = 0; v < nodes_; ++v) satisfied_nodes += satisfied(v, last, log) ? 1 : 0;
    return {satisfied_nodes, nodes_};
}

}  // namespace kport
