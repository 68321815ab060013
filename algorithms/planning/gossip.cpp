#include "algorithms/planning/gossip.hpp"

#include <algorithm>
#include <bit>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/planning/heuristics.hpp"
#include "algorithms/planning/room.hpp"
#include "emulator/base/random.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport::planning {

namespace {

NodeBits only(Node32 nodes, Node32 v) {
    NodeBits bits(nodes);
    bits.set(v);
    return bits;
}

/// What nodes know in a gossip of packets: any of them can be told.
class Packets {
  public:
    explicit Packets(Node32 nodes) {
        for (Node32 v = 0; v < nodes; ++v) known_.push_back(only(nodes, v));
        after_ = known_;
    }

    /// How many packets v would get of u, beside those that arrive in this round anyway.
    [[nodiscard]] std::uint64_t news(Node32 u, Node32 v) const { return (known_[u] - after_[v]).count(); }
    void tell(Round, Node32 u, Node32 v) { after_[v] |= known_[u]; }
    void end_round() { known_ = after_; }
    [[nodiscard]] bool is_done() const {
        return std::ranges::all_of(known_, [](const NodeBits& known) { return known.all(); });
    }

  private:
    std::vector<NodeBits> known_;
    std::vector<NodeBits> after_;
};

/// What nodes know in a gossip whose messages hold one packet each.
class SinglePackets {
  public:
    SinglePackets(const Topology& topology, std::uint64_t packets_each)
        : topology_(topology), nodes_(static_cast<Node32>(topology.nodes())),
          m_(static_cast<std::uint32_t>(packets_each)), holders_(nodes_ * packets_each, 1) {
        for (Node32 v = 0; v < nodes_; ++v) {
            known_.emplace_back(nodes_ * packets_each);
            known_[v].set(std::size_t{v} * m_, m_, true);
        }
        after_ = known_;
    }

    /// How many packets v still lacks, if u has one of them: who lacks the most hears first.
    [[nodiscard]] std::uint64_t news(Node32 u, Node32 v) const {
        return known_[u].is_subset_of(after_[v]) ? 0 : nodes_ * std::uint64_t{m_} - after_[v].count();
    }
    /// The packet that the fewest have.
    void tell(Round round, Node32 u, Node32 v) {
        const NodeBits packets = known_[u] - after_[v];
        std::size_t rarest = packets.find_first();
        for (std::size_t p = rarest; p != NodeBits::npos; p = packets.find_next(p))
            if (holders_[p] < holders_[rarest]) rarest = p;
        ++holders_[rarest];
        after_[v].set(rarest);
        const Port port = topology_.port_to(u, v);
        const PacketBlock packet{static_cast<std::uint32_t>(rarest / m_), 1, 1,
                                 static_cast<std::uint32_t>(rarest % m_)};
        schedule_.add(round, {u, v, {&port, 1}, {&packet, 1}});
    }
    void end_round() { known_ = after_; }
    [[nodiscard]] bool is_done() const {
        return std::ranges::all_of(known_, [](const NodeBits& known) { return known.all(); });
    }
    [[nodiscard]] Schedule schedule() { return std::move(schedule_); }

  private:
    const Topology& topology_;
    Node32 nodes_;
    std::uint32_t m_;
    std::vector<std::uint32_t> holders_;  ///< by packet, how many have it after this round
    std::vector<NodeBits> known_;
    std::vector<NodeBits> after_;
    Schedule schedule_;
};

/// What nodes know of contributions, in the values in which they came.
class Values {
  public:
    Values(const Topology& topology, bool in_runs, std::uint64_t segments, unsigned which)
        : topology_(topology), nodes_(static_cast<Node32>(topology.nodes())), in_runs_(in_runs),
          segments_(static_cast<std::uint32_t>(segments)), weight_of_needed_(which % 3 == 0   ? nodes_
                                                                             : which % 3 == 1 ? 2
                                                                                              : 1),
          held_(nodes_) {
        for (Node32 v = 0; v < nodes_; ++v) {
            known_.push_back(only(nodes_, v));
            held_[v].push_back(known_[v]);
        }
        after_ = known_;
    }

    [[nodiscard]] std::uint64_t news(Node32 u, Node32 v) const {
        if (sends_result(u)) return after_[v].all() ? 0 : nodes_ - after_[v].count();
        const NodeBits value = value_for(u, v);
        if (!in_runs_) return value.count();
        std::uint64_t weight =
            0;  // of contributions before v's own, which it needs, and of others, which it may pass on
        for (std::size_t w = value.find_first(); w != NodeBits::npos; w = value.find_next(w))
            weight += w < v ? weight_of_needed_ : 1;
        return weight;
    }
    void tell(Round round, Node32 u, Node32 v) {
        const Port port = topology_.port_to(u, v);
        if (sends_result(u)) {
            const PacketBlock result = result_packets(nodes_, all_segments(segments_));
            schedule_.add(round, {u, v, {&port, 1}, {&result, 1}});
            after_[v].set();
            return;
        }
        const NodeBits value = value_for(u, v);
        const PacketBlocks blocks = ranges_of(value, 0, segments_);
        schedule_.add(round, {u, v, {&port, 1}, span_of(blocks)});
        after_[v] |= value;
        came_.emplace_back(v, value);
    }
    void end_round() {
        for (const auto& [v, value] : came_) hold(v, value);
        came_.clear();
        known_ = after_;
    }
    [[nodiscard]] bool is_done() const {
        for (Node32 v = 0; v < nodes_; ++v) {
            const std::size_t missing = (~known_[v]).find_first();
            if (missing != NodeBits::npos && (!in_runs_ || missing < v)) return false;
        }
        return true;
    }
    [[nodiscard]] Schedule schedule() { return std::move(schedule_); }

  private:
    [[nodiscard]] bool sends_result(Node32 u) const { return !in_runs_ && known_[u].all(); }
    /// All values that u holds of which v has nothing.
    [[nodiscard]] NodeBits value_for(Node32 u, Node32 v) const {
        NodeBits value(nodes_);
        for (const NodeBits& part : held_[u])
            if (!part.intersects(after_[v])) value |= part;
        return value;
    }
    void hold(Node32 v, const NodeBits& value) {
        if (!in_runs_) {
            held_[v].push_back(value);
            return;
        }
        for (const PacketBlock& run : planning::ranges_of(value, 0, 1)) {
            NodeBits part(nodes_);
            part.set(run.first, run.count, true);
            held_[v].push_back(std::move(part));
        }
    }

    const Topology& topology_;
    Node32 nodes_;
    bool in_runs_;
    std::uint32_t segments_;
    std::uint64_t weight_of_needed_;  ///< beside 1 of what a node may only pass on
    std::vector<NodeBits> known_;
    std::vector<NodeBits> after_;
    std::vector<std::vector<NodeBits>> held_;
    std::vector<std::pair<Node32, NodeBits>> came_;
    Schedule schedule_;
};

using Channels = std::vector<std::pair<Node32, Node32>>;

Channels all_channels(const Graph& graph) {
    Channels channels;
    for (Node32 u = 0; u < graph.nodes(); ++u)
        for (const Node32 v : graph.neighbours(u)) channels.emplace_back(u, v);
    return channels;
}
/// Those of a tree of shortest paths. There greedy values never block each other: all that comes over a link is of its far side.
Channels tree_channels(const Graph& graph) {
    constexpr Node32 root = 0;
    const Parents parents = lowest_parents(graph, graph.distances({&root, 1}));
    Channels channels;
    for (Node32 v = 1; v < graph.nodes(); ++v) {
        channels.emplace_back(v, parents[v]);
        channels.emplace_back(parents[v], v);
    }
    return channels;
}

/// One gossip, round by round.
template <class Knowledge>
class Greedy {
  public:
    Greedy(const Graph& graph, const Channels& channels, const Calling& calling, Knowledge& knowledge, unsigned which)
        : channels_(channels), knowledge_(knowledge), room_(graph, calling), dice_(which), which_(which) {}

    /// Returns false if it is stopped, takes more rounds than asked for, or comes to no end.
    [[nodiscard]] bool plays(Round most, const Stop& stop) {
        while (!knowledge_.is_done()) {
            if (round_ == most || stop() || !play_round()) return false;
        }
        return true;
    }
    [[nodiscard]] Calls calls() { return std::move(calls_); }
    [[nodiscard]] Round rounds() const { return round_; }

  private:
    struct Candidate {
        std::uint64_t weight;
        std::uint64_t news;
        Node32 from;
        Node32 to;

        bool operator<(const Candidate& that) const {
            return std::tuple(weight, that.from, that.to) < std::tuple(that.weight, from, to);
        }
    };

    [[nodiscard]] bool play_round() {
        room_.clear();
        ++round_;
        const std::size_t before = calls_.size();
        std::priority_queue<Candidate> waiting;
        for (const auto& [u, v] : channels_)
            if (const std::uint64_t news = knowledge_.news(u, v); news > 0) waiting.push({weight_of(news), news, u, v});
        while (!waiting.empty()) {
            Candidate best = waiting.top();
            waiting.pop();
            if (!room_.allows(best.from, best.to)) continue;
            const std::uint64_t news = knowledge_.news(best.from, best.to);  // less if others have told v
            if (news == 0) continue;
            if (news < best.news) {
                best.weight = best.weight * news / best.news;
                best.news = news;
                waiting.push(best);
                continue;
            }
            room_.take(best.from, best.to);
            knowledge_.tell(round_, best.from, best.to);
            calls_.push_back({round_, best.from, best.to});
        }
        knowledge_.end_round();
        return calls_.size() > before;
    }
    /// The first try takes the most news; others err, some more than others.
    [[nodiscard]] std::uint64_t weight_of(std::uint64_t news) {
        constexpr std::uint64_t unit = 64;
        return which_ == 0 ? news * unit : news * unit + dice_.below(news * unit * (which_ % 4) / 2 + unit);
    }

    const Channels& channels_;
    Knowledge& knowledge_;
    Room room_;
    Dice dice_;
    unsigned which_;
    Round round_ = 0;
    Calls calls_;
};

/// The shortest of some tries. `make` makes what nodes know at first, `keep` is handed what the shortest one so far left.
template <class Make, class Keep>
void try_often(const Graph& graph, const Channels& channels, const Calling& calling, const Tries& tries,
               const Stop& stop, const Make& make, const Keep& keep) {
    Round most = ~Round{0};
    for (unsigned which = 0; which < tries.most && !stop(); ++which) {
        auto knowledge = make(which);
        Greedy greedy(graph, channels, calling, knowledge, which);
        if (!greedy.plays(most, stop)) continue;
        keep(greedy, knowledge);
        if (greedy.rounds() <= std::max<Round>(tries.enough, 1)) return;
        most = greedy.rounds() - 1;
    }
}

/// Leaves out what no result needs, from the end: a node that gets the result needs of values only what it passes on. Rounds in
/// which nothing is left fall out.
Schedule without_needless(const Schedule& schedule, Node32 nodes, bool in_runs) {
    std::vector<NodeBits> needed(nodes, NodeBits(nodes));
    std::vector<bool> gets_result(nodes, false);
    for (std::size_t i = 0; i < schedule.size(); ++i)
        if (schedule.transfer(i).packets.front().first == nodes) gets_result[schedule.transfer(i).to] = true;
    for (Node32 v = 0; v < nodes; ++v)
        if (in_runs)
            needed[v].set(0, v, true);
        else if (!gets_result[v])
            needed[v].set();
    std::vector<PacketBlocks> kept(schedule.size());
    for (std::size_t i = schedule.size(); i-- > 0;) {
        const Transfer transfer = schedule.transfer(i);
        for (const PacketBlock& block : transfer.packets) {
            NodeBits members(nodes);
            if (block.first < nodes) members.set(block.first, block.count, true);
            if (block.first < nodes && !members.intersects(needed[transfer.to])) continue;
            kept[i].push_back(block);
            needed[transfer.from] |= members;
        }
    }
    Schedule left;
    Round round = 0;
    Round before = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        if (kept[i].empty()) continue;
        if (schedule.round(i) != before) ++round;
        before = schedule.round(i);
        const Transfer transfer = schedule.transfer(i);
        left.add(round, {transfer.from, transfer.to, transfer.route, span_of(kept[i])});
    }
    return left;
}

}  // namespace

Calls greedy_gossip(const Graph& graph, const Calling& calling, const Tries& tries, const Stop& stop) {
    Calls best;
    try_often(
        graph, all_channels(graph), calling, tries, stop, [&](unsigned) { return Packets(graph.nodes()); },
        [&](auto& greedy, Packets&) { best = greedy.calls(); });
    return stop() ? Calls() : best;
}

Schedule greedy_single_packets(const Topology& topology, const Graph& graph, const Calling& calling,
                               std::uint64_t packets_each, const Tries& tries, const Stop& stop) {
    Schedule best;
    try_often(
        graph, all_channels(graph), calling, tries, stop,
        [&](unsigned) { return SinglePackets(topology, packets_each); },
        [&](auto&, SinglePackets& packets) { best = packets.schedule(); });
    return stop() ? Schedule() : best;
}

Schedule greedy_fold(const Topology& topology, const Graph& graph, const Calling& calling, bool in_runs,
                     std::uint64_t segments, const Tries& tries, const Stop& stop) {
    Schedule best;
    const auto make = [&](unsigned which) { return Values(topology, in_runs, segments, which); };
    const auto keep = [&](auto&, Values& values) { best = values.schedule(); };
    try_often(graph, all_channels(graph), calling, tries, stop, make, keep);
    if (best.empty()) try_often(graph, tree_channels(graph), calling, Tries{}, stop, make, keep);
    return stop() ? Schedule() : without_needless(best, graph.nodes(), in_runs);
}

Tries tries_for(const GossipSize& size, Round enough, double tries_max) {
    constexpr double words_max = 1 << 21;
    return {static_cast<unsigned>(std::clamp(words_max / size.words, 1.0, tries_max)), enough};
}

GossipSize size_of_packets(const Topology& topology) {
    const auto nodes = static_cast<double>(topology.nodes());
    const double rounds = 2.0 * static_cast<double>(std::bit_width(topology.nodes())) + 4;
    return {rounds * static_cast<double>(topology.channels()) * (nodes / 64 + 8)};
}
GossipSize size_of_single_packets(const Topology& topology, std::uint64_t packets_each) {
    const double packets = static_cast<double>(topology.nodes()) * static_cast<double>(packets_each);
    return {packets * static_cast<double>(topology.channels()) * (packets / 64 + 8)};
}
/// Half of the nodes' values are looked at for each call.
GossipSize size_of_values(const Topology& topology) {
    return {size_of_packets(topology).words * (static_cast<double>(topology.nodes()) / 2 + 1)};
}

}  // namespace kport::planning
