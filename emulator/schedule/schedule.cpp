#include "emulator/schedule/schedule.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

void Schedule::add(Round round, const Transfer& transfer) {
    if (round < rounds()) [[unlikely]]
        throw RequestError(fmt::format("a transfer of round {} is added behind one of round {}; rounds do not go back",
                                       round, rounds()));
    entries_.push_back({round, static_cast<std::uint32_t>(transfer.route.size()),
                        static_cast<std::uint32_t>(transfer.packets.size()), transfer.from, transfer.to, hops_.size(),
                        runs_.size()});
    hops_.insert(hops_.end(), transfer.route.begin(), transfer.route.end());
    runs_.insert(runs_.end(), transfer.packets.begin(), transfer.packets.end());
}

void Schedule::reserve(const Schedule& other) {
    entries_.reserve(other.entries_.size());
    hops_.reserve(other.hops_.size());
    runs_.reserve(other.runs_.size());
}

void append_silence(std::vector<Silence>& silences, Round first, std::uint64_t count) {
    if (!silences.empty() && silences.back().first + silences.back().count == first)
        silences.back().count += count;
    else
        silences.push_back({first, count});
}

void Schedule::add_silent(Round first, std::uint64_t count) {
    const std::uint64_t next = silences_.empty() ? 1 : silences_.back().first + silences_.back().count;
    if (first < next)
        throw RequestError(fmt::format(
            "silence from round {} on is added; want round {} or later, behind the silence so far", first, next));
    if (count != 0) append_silence(silences_, first, count);
}

Round Schedule::first_gap() const {
    std::uint64_t next = 1;
    auto silence = silences_.begin();
    for (const Entry& entry : entries_) {
        for (; silence != silences_.end() && silence->first <= next; ++silence)
            next = std::max(next, silence->first + silence->count);
        if (next < entry.round) return static_cast<Round>(next);
        next = std::max<std::uint64_t>(next, std::uint64_t{entry.round} + 1);
    }
    return 0;
}

Transfer Schedule::transfer(std::size_t i) const {
    const Entry& entry = entries_[i];
    return {entry.from,
            entry.to,
            {hops_.data() + entry.first_hop, entry.hops},
            {runs_.data() + entry.first_run, entry.runs}};
}

namespace {

[[noreturn]] void refuse(const Schedule& schedule, std::size_t i, const std::string& why) {
    const Transfer transfer = schedule.transfer(i);
    throw RequestError(fmt::format("transfers[{}] (round {}, from {} to {}): {}", i, schedule.round(i), transfer.from,
                                   transfer.to, why));
}

void require_node(const Schedule& schedule, std::size_t i, NodeId v, const Topology& topology) {
    const NodeId nodes = topology.wires().nodes();
    if (v >= nodes) refuse(schedule, i, fmt::format("node {}: {} has nodes 0 to {}", v, topology.spec(), nodes - 1));
}

void require_ports(const Schedule& schedule, std::size_t i, const Topology& hosts) {
    const Topology& topology = hosts.wires();
    const Transfer transfer = schedule.transfer(i);
    if (transfer.route.empty()) refuse(schedule, i, "an empty route; want at least one port");
    for (const Port port : transfer.route)
        if (port >= topology.ports())
            refuse(schedule, i,
                   topology.ports() == 0
                       ? fmt::format("port {}: {} has no ports", port, topology.spec())
                       : fmt::format("port {}: {} has ports 0 to {}", port, topology.spec(), topology.ports() - 1));
}

void require_block(const Schedule& schedule, std::size_t i, const PacketBlock& block) {
    for (const Progression& p : {block.columns(), block.all_rows()}) {
        if (p.count == 0) refuse(schedule, i, "a run of 0 packets; want at least 1");
        if (p.count > 1 && p.stride == 0) refuse(schedule, i, "a run of packets with stride 0; want at least 1");
        if (p.first + std::uint64_t{p.count - 1} * p.stride > std::numeric_limits<std::uint32_t>::max())
            refuse(schedule, i, "a run of packets beyond 32 bits");
    }
}

/// Finds the path of a transfer from its end to its start, as the ports of the opposite channels.
void find_way_back(std::vector<Port>& back, const Schedule& schedule, std::size_t i, const Topology& hosts) {
    const Topology& topology = hosts.wires();
    const Transfer transfer = schedule.transfer(i);
    back.clear();
    NodeId at = transfer.from;
    for (const Port port : transfer.route) {
        const LinkEnd end = topology.across(at, port);
        if (end.node == no_node)
            refuse(schedule, i, fmt::format("node {} has no link by port {}", topology.name(at), port));
        back.push_back(end.port);
        at = end.node;
    }
    if (at != transfer.to) refuse(schedule, i, fmt::format("its route ends at node {}", topology.name(at)));
    std::reverse(back.begin(), back.end());
}

}  // namespace

void require_well_formed(const Schedule& schedule, const Topology& topology) {
    auto silence = schedule.silences().begin();
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        const Round round = schedule.round(i);
        if (round == 0) refuse(schedule, i, "rounds count from 1");
        while (silence != schedule.silences().end() && silence->first + silence->count <= round) ++silence;
        if (silence != schedule.silences().end() && silence->first <= round)
            refuse(schedule, i, "its round is named as a silent one, in which nothing moves");
        require_node(schedule, i, transfer.from, topology);
        require_node(schedule, i, transfer.to, topology);
        require_ports(schedule, i, topology);
        if (transfer.packets.empty()) refuse(schedule, i, "no packet; a message carries at least one");
        for (const PacketBlock& block : transfer.packets) require_block(schedule, i, block);
    }
}

Schedule reversed(const Schedule& schedule, const Topology& topology) {
    require_well_formed(schedule, topology);
    Schedule turned;
    turned.reserve(schedule);
    std::vector<Port> route;
    for (std::size_t i = schedule.size(); i-- > 0;) {
        const Transfer transfer = schedule.transfer(i);
        find_way_back(route, schedule, i, topology);
        turned.add(schedule.rounds() + 1 - schedule.round(i), {transfer.to, transfer.from, route, transfer.packets});
    }
    for (std::size_t i = schedule.silences().size(); i-- > 0;) {
        const Silence& silence = schedule.silences()[i];
        if (schedule.empty()) break;
        // Silence before the first transfer comes to lie behind the last one, where it does not count.
        const std::uint64_t first = std::max<std::uint64_t>(silence.first, schedule.round(0));
        const std::uint64_t last = std::min<std::uint64_t>(silence.first + silence.count - 1, schedule.rounds());
        if (first <= last) turned.add_silent(static_cast<Round>(schedule.rounds() + 1 - last), last - first + 1);
    }
    return turned;
}

RouteBook::RouteBook(Schedule messages) : messages_(std::move(messages)) {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
        const Transfer message = messages_.transfer(i);
        found_.try_emplace({messages_.round(i), message.from, message.to}, i);
    }
}

std::span<const Port> RouteBook::route(Round round, NodeId from, NodeId to) const {
    const auto found = found_.find({round, from, to});
    return found == found_.end() ? std::span<const Port>() : messages_.transfer(found->second).route;
}

}  // namespace kport
