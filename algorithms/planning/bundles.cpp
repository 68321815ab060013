#include "algorithms/planning/graph.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kport::planning {

namespace {

/// Messages, sorted, with what each carries; those that carry nothing are left out.
class Bundles {
  public:
    Bundles(const Topology& topology, const Collective& collective, std::span<const NodeId> sources, Calls calls)
        : topology_(topology), collective_(collective), sources_(sources.begin(), sources.end()),
          nodes_(static_cast<Node32>(topology_.nodes())), m_(static_cast<std::uint32_t>(collective.packets_each)),
          calls_(std::move(calls)) {
        std::ranges::sort(calls_, {}, [](const Call& c) { return std::tuple(c.round, c.from, c.to); });
        const auto twice = std::ranges::unique(calls_);
        calls_.erase(twice.begin(), twice.end());
    }

    [[nodiscard]] Schedule schedule() {
        const Operation& operation = collective_.operation;
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
        const Port port = topology_.wires().port_to(call.from, call.to);
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
        std::vector<Round> since(nodes_, no_round);
        std::vector<std::size_t> first(nodes_, calls_.size());
        for (const NodeId v : from) since[v] = 0;
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            const Call& call = calls_[i];
            if (since[call.from] >= call.round || since[call.to] != no_round) continue;
            since[call.to] = call.round;
            first[call.to] = i;
        }
        return first;
    }

    void along_tree() {
        const std::vector<std::size_t> first = first_messages(sources_);
        if (collective_.operation == Operation::scatter) return carry(ways(first));
        for (std::size_t i = 0; i < calls_.size(); ++i)
            if (first[calls_[i].to] == i) add(calls_[i], {PacketBlock{0, 1, m_}});
    }

    /// By message, the nodes to which it leads.
    [[nodiscard]] std::vector<NodeBits> ways(const std::vector<std::size_t>& first) const {
        std::vector<NodeBits> leads(calls_.size(), NodeBits(nodes_));
        for (Node32 v = 0; v < nodes_; ++v)
            for (std::size_t i = first[v]; i < calls_.size(); i = first[calls_[i].from]) leads[i].set(v);
        return leads;
    }
    void carry(const std::vector<NodeBits>& leads) {
        for (std::size_t i = 0; i < calls_.size(); ++i) add(calls_[i], ranges_of(leads[i], 0, m_));
    }

    void along_trees() {
        std::vector<PacketBlocks> blocks(calls_.size());
        for (Node32 u = 0; u < nodes_; ++u) {
            const std::vector<NodeBits> leads = ways(first_messages({u}));
            for (std::size_t i = 0; i < calls_.size(); ++i)
                for (const PacketBlock& block : ranges_of(leads[i], u * m_, m_)) blocks[i].push_back(block);
        }
        for (std::size_t i = 0; i < calls_.size(); ++i) add(calls_[i], blocks[i]);
    }

    /// A message tells all that its sender knew before the round; what is not a signal, only what its receiver lacks.
    void news() {
        std::vector<NodeBits> known(nodes_, NodeBits(nodes_));
        for (Node32 v = 0; v < nodes_; ++v) known[v].set(v);
        each_round([&](auto first, auto last) {
            std::vector<std::pair<Node32, NodeBits>> after;
            for (auto call = first; call != last; ++call) {
                NodeBits news = known[call->from] - known[call->to];
                for (const auto& [node, packets] : after)
                    if (node == call->to) news -= packets;
                if (news.none()) continue;
                add(*call, ranges_of(collective_.signals() ? known[call->from] : news, 0, m_));
                after.emplace_back(call->to, std::move(news));
            }
            for (const auto& [node, packets] : after) known[node] |= packets;
        });
    }

    static constexpr Round no_round = ~Round{0};
    const Topology& topology_;
    const Collective& collective_;
    std::vector<NodeId> sources_;
    Node32 nodes_;
    std::uint32_t m_;
    Calls calls_;
    Schedule schedule_;
};

}  // namespace

PacketBlocks ranges_of(const NodeBits& members, std::uint32_t row, std::uint32_t rows) {
    PacketBlocks blocks;
    for (std::size_t p = members.find_first(); p != NodeBits::npos; p = members.find_next(p)) {
        if (!blocks.empty() && blocks.back().first + blocks.back().count == p)
            ++blocks.back().count;
        else
            blocks.push_back(PacketBlock{static_cast<std::uint32_t>(p), 1, 1, row, 1, rows});
    }
    return blocks;
}

Schedule bundled(const Topology& topology, const Collective& collective, std::span<const NodeId> sources, Calls calls) {
    return Bundles(topology, collective, sources, std::move(calls)).schedule();
}

}  // namespace kport::planning
