#include "algorithms/bounds/ways.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace kport::bounds {
namespace {

/// A flow network of channels, and of nodes with fewer ports than links: arc 2i, and its reverse 2i+1.
class Network {
  public:
    Network(const Topology& graph, NodeId source, std::uint64_t ports)
        : source_(static_cast<Vertex>(source)), exit_(graph.nodes()), arcs_(graph.nodes()) {
        for (NodeId v = 0; v < graph.nodes(); ++v) {
            const auto away = static_cast<std::int32_t>(graph.distance(source, v));
            distances_.push_back(away);
            exit_[v] = static_cast<Vertex>(v);
            if (ports < graph.degree(v)) narrow(v, ports);
        }
        // The second vertices come after all the first ones.
        distances_.resize(arcs_.size());
        for (NodeId v = 0; v < graph.nodes(); ++v) distances_[exit_[v]] = distances_[v];
        for (NodeId v = 0; v < graph.nodes(); ++v)
            for_each_neighbour(graph, v, [&](NodeId w) { add_arc(exit_[v], static_cast<Vertex>(w), 1, 1); });
        away_.assign(arcs_.size(), unseen);
        next_.resize(arcs_.size());
    }

    [[nodiscard]] WaysTo to(NodeId v) {
        steps_ += arcs_.size();
        left_ = capacity_;
        potential_ = distances_;
        WaysTo ways;
        while (augment(exit_[v])) {
            const auto links = static_cast<std::uint64_t>(potential_[exit_[v]] - potential_[source_]);
            if (ways.empty() || ways.back().links != links) ways.push_back({links, 0});
            ++ways.back().number;
        }
        return ways;
    }
    /// Returns the number of arcs and nodes visited so far.
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

  private:
    using Vertex = std::uint32_t;
    using Arc = std::uint32_t;
    static constexpr std::int32_t unseen = std::numeric_limits<std::int32_t>::max();

    void narrow(NodeId v, std::uint64_t ports) {
        exit_[v] = static_cast<Vertex>(arcs_.size());
        arcs_.emplace_back();
        add_arc(static_cast<Vertex>(v), exit_[v], static_cast<std::uint32_t>(ports), 0);
    }
    void add_arc(Vertex from, Vertex to, std::uint32_t capacity, std::int32_t length) {
        for (const bool back : {false, true}) {
            arcs_[back ? to : from].push_back(static_cast<Arc>(end_.size()));
            end_.push_back(back ? from : to);
            capacity_.push_back(back ? 0 : capacity);
            length_.push_back(back ? -length : length);
        }
    }

    /// Adds one more path, the shortest; returns false if there is none.
    bool augment(Vertex receiver) {
        const bool found = search_back_from(receiver);
        for (const Vertex v : settled_)
            if (found) potential_[v] += away_[source_] - away_[v];
        for (const Vertex v : seen_) away_[v] = unseen;
        if (!found) return false;
        for (Vertex v = source_; v != receiver; v = end_[next_[v]]) {
            --left_[next_[v]];
            ++left_[next_[v] ^ 1U];
        }
        return true;
    }

    /// Dijkstra's search on the residual network, by buckets: lengths minus potential differences are not negative.
    bool search_back_from(Vertex receiver) {
        seen_.clear();
        settled_.clear();
        for (auto& bucket : buckets_) bucket.clear();
        reach(receiver, 0);
        for (std::size_t d = 0; d < buckets_.size(); ++d)
            while (!buckets_[d].empty()) {
                const Vertex v = buckets_[d].back();
                buckets_[d].pop_back();
                if (std::cmp_not_equal(away_[v], d)) continue;  // a shorter distance was found
                settled_.push_back(v);
                if (v == source_) return true;
                look_back_from(v);
            }
        return false;
    }
    void look_back_from(Vertex v) {
        const std::int32_t away = away_[v];
        steps_ += arcs_[v].size();
        for (const Arc arc : arcs_[v]) {
            const Arc here = arc ^ 1U;
            const Vertex w = end_[arc];
            if (left_[here] == 0) continue;
            const std::int32_t farther = away + length_[here] + potential_[w] - potential_[v];
            if (farther >= away_[w]) continue;
            next_[w] = here;
            reach(w, farther);
        }
    }
    void reach(Vertex v, std::int32_t away) {
        if (away_[v] == unseen) seen_.push_back(v);
        away_[v] = away;
        const auto bucket = static_cast<std::size_t>(away);
        if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
        buckets_[bucket].push_back(v);
    }

    Vertex source_;
    std::vector<Vertex> exit_;  ///< index of a node's first channel
    std::vector<std::vector<Arc>> arcs_;
    std::vector<Vertex> end_;
    std::vector<std::uint32_t> capacity_;
    std::vector<std::uint32_t> left_;  ///< remaining capacity
    std::vector<std::int32_t> length_;
    std::vector<std::int32_t> distances_;  ///< from the source
    std::vector<std::int32_t> potential_;
    std::vector<std::int32_t> away_;  ///< from the receiver, in a search
    std::vector<Arc> next_;
    std::vector<Vertex> seen_;
    std::vector<Vertex> settled_;
    std::vector<std::vector<Vertex>> buckets_;
    std::uint64_t steps_ = 0;
};

/// Among nodes equally far, those with the fewest links come first.
std::vector<NodeId> farthest_first(const Topology& graph, NodeId source) {
    std::vector<std::tuple<Hops, Port, NodeId>> ranked;
    const Hops farthest = graph.eccentricity(source);
    for (NodeId v = 0; v < graph.nodes(); ++v)
        if (v != source) ranked.emplace_back(farthest - graph.distance(source, v), graph.degree(v), v);
    std::ranges::sort(ranked);
    std::vector<NodeId> nodes;
    for (const auto& place : ranked) nodes.push_back(std::get<2>(place));
    return nodes;
}

}  // namespace

Count rounds_over(const WaysTo& ways, Count packets) {
    Count least = packets + ways.front().links - 1;
    Count number = 0;
    Count waited = 0;
    // Among paths of one length, either all give the least, or none.
    for (const Ways& way : ways) {
        number += way.number;
        waited += Count{way.number} * (way.links - 1);
        least = std::min(least, ceil_div(packets + waited, number));
    }
    return least;
}

Count packets_over(const WaysTo& ways, Count rounds) {
    Count packets = 0;
    for (const Ways& way : ways)
        if (rounds >= way.links) packets += way.number * (rounds - way.links + 1);
    return packets;
}

WaysTo first_of(WaysTo ways, std::uint64_t number) {
    for (Ways& way : ways) {
        way.number = std::min(way.number, number);
        number -= way.number;
    }
    std::erase_if(ways, [](const Ways& way) { return way.number == 0; });
    return ways;
}

std::vector<Receiver> ways_from(const Topology& graph, NodeId source, std::uint64_t ports, std::uint64_t steps_max) {
    Network network(graph, source, ports);
    std::map<WaysTo, NodeId> found;
    for (const NodeId v : farthest_first(graph, source)) {
        if (network.steps() >= steps_max) break;
        found.emplace(network.to(v), v);
    }
    std::vector<Receiver> receivers;
    for (const auto& [ways, node] : found) receivers.push_back({node, ways});
    return receivers;
}

}  // namespace kport::bounds
