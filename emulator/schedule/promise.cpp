#include "emulator/schedule/promise.hpp"

#include <optional>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

PacketSet one(NodeId packet) { return PacketSet::range(packet, packet + 1); }

PacketBlock from_to(NodeId row, NodeId rows, NodeId column, NodeId columns) {
    return {static_cast<std::uint32_t>(column), 1, static_cast<std::uint32_t>(columns),
            static_cast<std::uint32_t>(row),    1, static_cast<std::uint32_t>(rows)};
}

}  // namespace

PacketSet owned(const Promise& promise, NodeId v, NodeId nodes) {
    switch (promise.operation) {
        case Operation::broadcast: return v == promise.source ? one(0) : PacketSet();
        case Operation::scatter: return v == promise.source ? PacketSet::range(0, nodes) : PacketSet();
        case Operation::gather:
        case Operation::reduce:
        case Operation::allreduce:
        case Operation::scan:
        case Operation::allgather: return one(v);
        case Operation::alltoall: return from_to(v, 1, 0, nodes);
        case Operation::none: return {};
    }
    (void)name(promise.operation);  // one that there is not is refused
    return {};
}

PacketSet wanted(const Promise& promise, NodeId v, NodeId nodes) {
    switch (promise.operation) {
        case Operation::broadcast: return one(0);
        case Operation::scatter: return one(v);
        case Operation::gather:
        case Operation::reduce: return v == promise.source ? PacketSet::range(0, nodes) : PacketSet();
        case Operation::allreduce:
        case Operation::allgather: return PacketSet::range(0, nodes);
        case Operation::scan: return PacketSet::range(0, v + 1);
        case Operation::alltoall: return from_to(0, nodes, v, 1);
        case Operation::none: return {};
    }
    (void)name(promise.operation);  // one that there is not is refused
    return {};
}

PacketSpace::PacketSpace(Operation operation, NodeId nodes)
    : operation_(operation), nodes_(nodes), columns_(operation == Operation::broadcast ? 1
                                                     : operation == Operation::none    ? contents_bytes_max
                                                     : is_reduction(operation)         ? nodes + 1
                                                                                       : nodes),
      columns_of_many_(is_reduction(operation) ? nodes : columns_),
      rows_(operation == Operation::alltoall ? nodes : 1) {
    (void)name(operation);  // one that there is not is refused
}

namespace {

/// The first member that is not below the end; nothing if there is none.
std::optional<std::uint64_t> first_beyond(const Progression& p, std::uint64_t end) {
    if (p.first >= end) return p.first;
    if (p.count == 1) return std::nullopt;
    const std::uint64_t steps = (end - p.first + p.stride - 1) / p.stride;
    return steps < p.count ? std::optional(p.first + steps * p.stride) : std::nullopt;
}

}  // namespace

PacketSpace::Finding PacketSpace::fault_of(std::span<const PacketBlock> packets) const {
    if (packets.empty()) return {PacketFault::no_packet};
    for (const PacketBlock& block : packets) {
        if (has(block)) continue;
        if (block.size() == 0) return {PacketFault::no_packet};
        const bool stands_still = (block.count > 1 && block.stride == 0) || (block.rows > 1 && block.row_stride == 0);
        if (stands_still) return {PacketFault::packet_twice, block.row, block.first};
        if (block.stride == 0 || block.row_stride == 0) return {PacketFault::no_step, block.row, block.first};
        if (!first_beyond(block.columns(), columns_) && !first_beyond(block.all_rows(), rows_)) break;  // beside_result
        return {PacketFault::no_such_packet, first_beyond(block.all_rows(), rows_).value_or(block.row),
                first_beyond(block.columns(), columns_).value_or(block.first)};
    }
    if (packets.size() > 1)
        if (const auto both = common_to_two(packets)) return {PacketFault::packet_twice, both->row, both->first};
    const PacketBlock result = result_packet(nodes_);
    if (is_reduction(operation_) && size_of(packets) > 1 && common_size(packets, {&result, 1}) != 0)
        return {PacketFault::beside_result, 0, result.first};
    return {};
}

PacketSpace::Finding PacketSpace::fault_of(PacketId packet) const {
    if (allows(packet)) return {};
    if (rows_ == 1) return {PacketFault::no_such_packet, 0, packet};
    return {PacketFault::no_such_packet, packet / nodes_, packet % nodes_};
}

std::string PacketSpace::text(const Finding& finding) const {
    switch (finding.fault) {
        case PacketFault::none: break;
        case PacketFault::no_packet: return "no packet; a message carries at least one";
        case PacketFault::no_such_packet:
            if (operation_ == Operation::broadcast)
                return fmt::format("packet {}; a broadcast moves packet 0 alone", finding.column);
            if (operation_ == Operation::none)
                return fmt::format("byte {}; contents have bytes 0 to {}", finding.column, columns_ - 1);
            if (rows_ > 1)
                return fmt::format("the packet of row {} and column {}; {} on {} nodes has rows and columns 0 to {}",
                                   finding.row, finding.column, name(operation_), nodes_, nodes_ - 1);
            if (finding.row > 0) return fmt::format("row {}; {} has row 0 alone", finding.row, name(operation_));
            return fmt::format("packet {}; {} on {} nodes has packets 0 to {}", finding.column, name(operation_),
                               nodes_, columns_ - 1);
        case PacketFault::no_step: return fmt::format("packet {} in steps of 0; want at least 1", number(finding));
        case PacketFault::packet_twice:
            return fmt::format("packet {} twice; a message carries a set of packets", number(finding));
        case PacketFault::beside_result:
            return fmt::format("packet {}, the result, beside others; it travels in a message of its own",
                               number(finding));
    }
    return {};
}

void require_packets(const Promise& promise) {
    if (promise.operation == Operation::none)
        throw RequestError("a schedule does not say what messages contain: it can be audited, and not replayed");
}

std::uint64_t packet_count(const Promise& promise, NodeId nodes) {
    if (promise.operation == Operation::broadcast) return 1;
    if (promise.operation == Operation::none) return contents_bytes_max;
    return promise.operation == Operation::alltoall ? nodes * nodes : nodes;
}

}  // namespace kport
