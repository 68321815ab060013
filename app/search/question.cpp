#include "app/search/question.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <boost/dynamic_bitset.hpp>

#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/port_needs.hpp"

namespace kport::search {
namespace {

using Nodes = boost::dynamic_bitset<std::uint64_t>;

/// The members as ranges of columns in some rows.
PacketBlocks ranges_of(const Nodes& members, std::uint32_t row, std::uint32_t rows) {
    PacketBlocks blocks;
    for (std::size_t p = members.find_first(); p != Nodes::npos; p = members.find_next(p)) {
        if (!blocks.empty() && blocks.back().first + blocks.back().count == p)
            ++blocks.back().count;
        else
            blocks.push_back(PacketBlock{static_cast<std::uint32_t>(p), 1, 1, row, 1, rows});
    }
    return blocks;
}

/// Messages, sorted, with what each carries; those that carry nothing are left out.
class Served {
  public:
    Served(const Question& question, Calls calls)
        : question_(question), topology_(*question.machine.topology), nodes_(static_cast<Node32>(topology_.nodes())),
          m_(static_cast<std::uint32_t>(question.collective.packets_each)), calls_(std::move(calls)) {
        std::ranges::sort(calls_, {}, [](const Call& c) { return std::tuple(c.round, c.from, c.to); });
        const auto twice = std::ranges::unique(calls_);
        calls_.erase(twice.begin(), twice.end());
    }

    [[nodiscard]] Schedule schedule() {
        const Operation& operation = question_.operation();
        if (operation == Operation::broadcast || operation == Operation::scatter)
            along_tree();
        else if (operation == Operation::alltoall)
            along_trees();
        else
            news();
        return std::move(schedule_);
    }

  private:
    void add(const Call& call, const PacketBlocks& blocks) {
        if (blocks.empty()) return;
        const Port port = topology_.port_to(call.from, call.to);
        schedule_.add(call.round, Transfer{call.from, call.to, {&port, 1}, span_of(blocks)});
    }
    /// Calls visit(first, last) for the messages of each round.
    template <class Visit>
    void each_round(const Visit& visit) const {
        for (auto first = calls_.begin(); first != calls_.end();) {
            const auto last = std::find_if(first, calls_.end(), [&](const Call& c) { return c.round != first->round; });
            visit(first, last);
            first = last;
        }
    }

    /// By node, the message by which it first hears of some nodes; calls_.size(): of those nodes themselves, and of who never hears.
    [[nodiscard]] std::vector<std::size_t> first_messages(const std::vector<NodeId>& from) const {
        std::vector<Round> since(nodes_, no_round_);
        std::vector<std::size_t> first(nodes_, calls_.size());
        for (const NodeId v : from) since[v] = 0;
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            const Call& call = calls_[i];
            if (since[call.from] >= call.round || since[call.to] != no_round_) continue;
            since[call.to] = call.round;
            first[call.to] = i;
        }
        return first;
    }

    void along_tree() {
        std::vector<NodeId> roots = question_.sources;
        if (roots.empty()) roots = {question_.collective.root};
        const std::vector<std::size_t> first = first_messages(roots);
        if (question_.operation() == Operation::scatter) return carry(ways(first));
        for (std::size_t i = 0; i < calls_.size(); ++i)
            if (first[calls_[i].to] == i) add(calls_[i], {PacketBlock{0, 1, m_}});
    }

    /// By message, the nodes to which it leads.
    [[nodiscard]] std::vector<Nodes> ways(const std::vector<std::size_t>& first) const {
        std::vector<Nodes> leads(calls_.size(), Nodes(nodes_));
        for (Node32 v = 0; v < nodes_; ++v)
            for (std::size_t i = first[v]; i < calls_.size(); i = first[calls_[i].from]) leads[i].set(v);
        return leads;
    }
    void carry(const std::vector<Nodes>& leads) {
        for (std::size_t i = 0; i < calls_.size(); ++i) add(calls_[i], ranges_of(leads[i], 0, m_));
    }

    void along_trees() {
        std::vector<PacketBlocks> blocks(calls_.size());
        for (Node32 u = 0; u < nodes_; ++u) {
            const std::vector<Nodes> leads = ways(first_messages({u}));
            for (std::size_t i = 0; i < calls_.size(); ++i)
                for (const PacketBlock& block : ranges_of(leads[i], u * m_, m_)) blocks[i].push_back(block);
        }
        for (std::size_t i = 0; i < calls_.size(); ++i) add(calls_[i], blocks[i]);
    }

    /// A message tells all that its sender knew before the round; what is not a signal, only what its receiver lacks.
    void news() {
        std::vector<Nodes> known(nodes_, Nodes(nodes_));
        for (Node32 v = 0; v < nodes_; ++v) known[v].set(v);
        each_round([&](auto first, auto last) {
            std::vector<std::pair<Node32, Nodes>> after;
            for (auto call = first; call != last; ++call) {
                Nodes news = known[call->from] - known[call->to];
                for (const auto& [node, packets] : after)
                    if (node == call->to) news -= packets;
                if (news.none()) continue;
                add(*call, ranges_of(question_.collective.signals() ? known[call->from] : news, 0, m_));
                after.emplace_back(call->to, std::move(news));
            }
            for (const auto& [node, packets] : after) known[node] |= packets;
        });
    }

    static constexpr Round no_round_ = ~Round{0};
    const Question& question_;
    const Topology& topology_;
    Node32 nodes_;
    std::uint32_t m_;
    Calls calls_;
    Schedule schedule_;
};

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
    std::map<std::pair<NodeId, std::uint32_t>, Nodes> held;
    const auto of = [&](NodeId v, std::uint32_t s) -> Nodes& {
        const auto [place, fresh] = held.try_emplace({v, s}, Nodes(nodes));
        if (fresh) place->second.set(v);
        return place->second;
    };
    Schedule schedule;
    for (std::size_t first = 0; first < turned.size();) {
        std::vector<std::tuple<NodeId, std::uint32_t, Nodes>> arrivals;
        std::size_t i = first;
        for (; i < turned.size() && turned.round(i) == turned.round(first); ++i) {
            const Transfer transfer = turned.transfer(i);
            PacketBlocks blocks;
            for (const PacketBlock& packet : single_packets(transfer.packets)) {
                const std::uint32_t s = segment_of(question, packet);
                const Nodes& value = of(transfer.from, s);
                for (const PacketBlock& range : ranges_of(value, s, 1)) blocks.push_back(range);
                arrivals.emplace_back(transfer.to, s, value);
            }
            schedule.add(turned.round(i), {transfer.from, transfer.to, transfer.route, span_of(blocks)});
        }
        for (const auto& [node, s, value] : arrivals) of(node, s) |= value;
        first = i;
    }
    return schedule;
}

}  // namespace

void require_valid(const Question& question) {
    require_topology(question.machine);
    const Operation& operation = question.operation();
    if (question.collective.is_own() || !operation.promises())
        throw RequestError(fmt::format("{} is not searched for; want an operation of 'kport list operations'",
                                       kport::name(operation)));
    if (question.machine.node_ports != nullptr)
        throw RequestError(fmt::format("a search has the same limits for all nodes; leave --ports-by {} out",
                                       question.machine.node_ports->attribute));
    if (question.machine.switching != Switching::store_and_forward)
        throw RequestError("a search is of store-and-forward machines; leave --switching wh out");
    kport::require_valid(question.collective, *question.machine.topology);
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

Schedule schedule_of(const Question& question, Calls calls) { return Served(question, std::move(calls)).schedule(); }

std::vector<NeededPacket> packets_needed(const Question& question) {
    const auto nodes = static_cast<Node32>(question.nodes());
    std::vector<PacketSet> wanted;
    for (Node32 v = 0; v < nodes; ++v) wanted.push_back(question.collective.wanted(v, nodes));
    std::vector<NeededPacket> all;
    for (Node32 owner = 0; owner < nodes; ++owner) {
        const PacketSet owned = question.collective.owned(owner, nodes);
        for (const PacketBlock& packet : single_packets(owned.blocks())) {
            NeededPacket needed{owner, packet, {}};
            for (Node32 v = 0; v < nodes; ++v)
                if (v != owner && common_size({&packet, 1}, wanted[v]) != 0) needed.receivers.push_back(v);
            if (!needed.receivers.empty()) all.push_back(std::move(needed));
        }
    }
    std::ranges::stable_sort(all, {}, [](const NeededPacket& p) { return std::tie(p.owner, p.receivers); });
    return all;
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

bool keeps(const Question& question, std::span<const Node32> image) {
    const Collective& collective = question.collective;
    if (collective.scans() || collective.in_runs || !question.sources.empty()) return false;
    if (collective.rooted() && image[collective.root] != collective.root) return false;
    if (question.operation() != Operation::permutation) return true;
    const auto target = [&](NodeId v) { return collective.permutation.target(v, question.nodes()); };
    for (Node32 v = 0; v < image.size(); ++v)
        if (image[target(v)] != target(image[v])) return false;
    return true;
}

}  // namespace kport::search
