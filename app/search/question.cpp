#include "app/search/question.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/promised.hpp"
#include "algorithms/planning/graph.hpp"
#include "app/search/search.hpp"
#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/port_needs.hpp"

namespace kport::search {
namespace {

using planning::NodeBits;

/// The segment that a packet of the other question stands for.
std::uint32_t segment_of(const Question& question, const PacketBlock& packet) {
    if (question.operation() == Operation::reduce) return packet.first;
    return packet.first * static_cast<std::uint32_t>(question.collective.packets_each) + packet.row;
}

std::vector<PacketBlock> single_packets(std::span<const PacketBlock> blocks) {
    std::vector<PacketBlock> all;
    for (const PacketBlock& block : blocks)
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i)
                all.push_back({block.columns()[i], 1, 1, block.all_rows()[j]});
    return all;
}

/// Transfers of packets, reversed, as transfers of values: each is the sum of what has come to its sender.
Schedule with_values(const Question& question, const Schedule& turned) {
    const NodeId nodes = question.nodes();
    std::map<std::pair<NodeId, std::uint32_t>, NodeBits> held;
    const auto of = [&](NodeId v, std::uint32_t s) -> NodeBits& {
        const auto [place, fresh] = held.try_emplace({v, s}, NodeBits(nodes));
        if (fresh) place->second.set(v);
        return place->second;
    };
    Schedule schedule;
    for (std::size_t first = 0; first < turned.size();) {
        std::vector<std::tuple<NodeId, std::uint32_t, NodeBits>> arrivals;
        std::size_t i = first;
        for (; i < turned.size() && turned.round(i) == turned.round(first); ++i) {
            const Transfer transfer = turned.transfer(i);
            PacketBlocks blocks;
            for (const PacketBlock& packet : single_packets(transfer.packets)) {
                const std::uint32_t s = segment_of(question, packet);
                const NodeBits& value = of(transfer.from, s);
                for (const PacketBlock& range : planning::ranges_of(value, s, 1)) blocks.push_back(range);
                arrivals.emplace_back(transfer.to, s, value);
            }
            schedule.add(turned.round(i), {transfer.from, transfer.to, transfer.route, span_of(blocks)});
        }
        for (const auto& [node, s, value] : arrivals) of(node, s) |= value;
        first = i;
    }
    return schedule;
}

/// Where messages take paths, broadcasts are searched for, and what goes along their trees.
void require_one_tree(const Question& question) {
    const Operation& operation = question.operation();
    const bool is_packet = question.one_to_all() && question.collective.packets_each == 1;
    const bool is_bundle = question.bundles() &&
                           (question.one_to_all() || operation == Operation::scatter || operation == Operation::gather);
    if (is_packet || is_bundle) return;
    throw RequestError(
        fmt::format("{} on {}: on wormhole machines and through switches a search knows broadcast and reduce, and with "
                    "combining scatter and gather; want one of these, or a store-and-forward machine without switches",
                    kport::name(operation), question.machine.topology->spec()));
}

}  // namespace

std::uint64_t Question::largest_capacity(NodeId v) const {
    if (machine.topology->fabric() == nullptr) return 1;
    std::uint64_t largest = 1;
    for_each_neighbour(*machine.topology, v, [&](NodeId w) { largest = std::max(largest, capacity(v, w)); });
    return largest;
}

void require_valid(const Question& question) {
    require_topology(question.machine);
    const Operation& operation = question.operation();
    if (!operation.promises())
        throw RequestError(fmt::format("{} is not searched for; want an operation of 'kport list operations'",
                                       kport::name(operation)));
    if (question.collective.own_folds() != nullptr)
        throw RequestError(fmt::format(
            "{}: a search of promises is for packets, which are copied, and this one promises folds; want kport bounds "
            "promise, which bounds them, or kport run promise --algorithm ./mine.cpp",
            kport::name(operation)));
    if (question.collective.has_sizes())
        throw RequestError(fmt::format("{}: a search counts packets, and these differ in size; leave the sizes out",
                                       kport::name(operation)));
    if (question.machine.has_long_paths()) require_one_tree(question);
    kport::require_valid(question.collective, *question.machine.topology);
    if (const auto why = packet_without_way(question)) throw RequestError(*why);
    require_ports(question.machine, question.collective);
}

bool is_reversed(const Operation& operation) {
    return operation == Operation::reduce || operation == Operation::gather || operation == Operation::reduce_scatter;
}

Question reversed(const Question& question) {
    Question other = question;
    other.collective.operation = question.operation() == Operation::reduce   ? Operation::broadcast
                                 : question.operation() == Operation::gather ? Operation::scatter
                                                                             : Operation::allgather;
    other.machine = with_reversed_ports(other.machine);
    return other;
}

Schedule reversed(const Question& question, const Schedule& schedule) {
    const Schedule turned = kport::reversed(schedule, *question.machine.topology);
    return question.collective.folds() ? with_values(question, turned) : turned;
}

Schedule schedule_of(const Question& question, Calls calls) {
    std::vector<NodeId> roots = question.sources;
    if (roots.empty()) roots = {question.collective.root};
    return planning::bundled(*question.machine.topology, question.collective, roots, std::move(calls));
}

namespace {

/// Packets of operations have one owner each.
std::vector<NeededPacket> packets_of_operation(const Question& question) {
    const auto nodes = static_cast<Node32>(question.nodes());
    std::vector<PacketSet> wanted;
    for (Node32 v = 0; v < nodes; ++v) wanted.push_back(question.collective.wanted(v, nodes));
    std::vector<NeededPacket> all;
    for (Node32 owner = 0; owner < nodes; ++owner) {
        const PacketSet owned = question.collective.owned(owner, nodes);
        for (const PacketBlock& packet : single_packets(owned.blocks())) {
            NeededPacket needed{{owner}, packet, {}};
            for (Node32 v = 0; v < nodes; ++v)
                if (v != owner && common_size({&packet, 1}, wanted[v]) != 0) needed.receivers.push_back(v);
            if (!needed.receivers.empty()) all.push_back(std::move(needed));
        }
    }
    return all;
}

std::vector<NeededPacket> packets_of_promise(const Question& question) {
    const auto as_32_bits = [](const std::vector<NodeId>& nodes) {
        return std::vector<Node32>(nodes.begin(), nodes.end());
    };
    std::vector<NeededPacket> all;
    for (const LackedPacket& of : lacked_packets(question.collective, question.nodes()))
        all.push_back({as_32_bits(of.owners), block_of({0}, {of.packet}), as_32_bits(of.takers)});
    return all;
}

}  // namespace

std::vector<NeededPacket> packets_needed(const Question& question) {
    std::vector<NeededPacket> all =
        question.collective.is_own() ? packets_of_promise(question) : packets_of_operation(question);
    std::ranges::stable_sort(all, {}, [](const NeededPacket& p) { return std::tie(p.owners, p.receivers); });
    return all;
}

std::optional<std::string> packet_without_way(const Question& question) {
    const Collective& collective = question.collective;
    const Topology& graph = *question.machine.topology;
    if (!collective.is_own() || collective.own()->passes_on == nullptr) return std::nullopt;
    for (const LackedPacket& of : lacked_packets(collective, graph.nodes())) {
        std::vector<bool> is_reached(graph.nodes());
        std::vector<NodeId> reached = of.owners;
        for (const NodeId v : reached) is_reached[v] = true;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for_each_neighbour(graph, reached[i], [&](NodeId v, Port) {
                if (is_reached[v] || !collective.may_pass_on(v, graph.nodes())) return;
                is_reached[v] = true;
                reached.push_back(v);
            });
        for (const NodeId v : of.takers)
            if (!is_reached[v])
                return fmt::format(
                    "packet {} has no way to node {} through nodes that pass packets on; want relay all, or "
                    "more nodes that may",
                    of.packet, graph.name(v));
    }
    return std::nullopt;
}

bool have_one_owner(const std::vector<NeededPacket>& packets) {
    return std::ranges::all_of(packets, [](const NeededPacket& packet) { return packet.owners.size() == 1; });
}

Schedule repeated(const Question& question, const Schedule& schedule, std::uint64_t each) {
    const auto m = static_cast<std::uint32_t>(question.collective.packets_each);
    const auto part = static_cast<std::uint32_t>(each);
    const bool in_columns = question.operation() == Operation::broadcast;
    Schedule all;
    for (std::uint32_t done = 0; done < m; done += part)
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            const Transfer transfer = schedule.transfer(i);
            PacketSet packets;
            for (PacketBlock packet : single_packets(transfer.packets)) {
                if (in_columns)
                    packet.first += done;
                else  // packet j of u for v is row u * M + j, of all others row j
                    packet.row = packet.row / part * m + packet.row % part + done;
                packets.add({&packet, 1});
            }
            all.add(schedule.round(i) + done / part * schedule.rounds(),
                    {transfer.from, transfer.to, transfer.route, packets.blocks()});
        }
    return all;
}

bool keeps_limits(const Machine& machine, std::span<const Node32> image) {
    if (machine.node_ports == nullptr) return true;
    for (NodeId v = 0; v < machine.topology->nodes(); ++v)
        if (machine.sends_of(v) != machine.sends_of(image[v]) ||
            machine.receives_of(v) != machine.receives_of(image[v]))
            return false;
    return true;
}

bool keeps(const Question& question, std::span<const Node32> image) {
    const Collective& collective = question.collective;
    if (collective.scans() || collective.in_runs || collective.is_own() || !question.sources.empty()) return false;
    if (collective.rooted() && image[collective.root] != collective.root) return false;
    const Topology& hosts = *question.machine.topology;
    if (!keeps_limits(question.machine, image)) return false;
    if (hosts.fabric() != nullptr && !keeps_capacities(hosts, image)) return false;
    if (question.operation() != Operation::permutation) return true;
    const auto target = [&](NodeId v) { return collective.permutation.target(v, question.nodes()); };
    for (Node32 v = 0; v < image.size(); ++v)
        if (image[target(v)] != target(image[v])) return false;
    return true;
}

}  // namespace kport::search
