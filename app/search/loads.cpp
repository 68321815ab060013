#include "app/search/question.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/max_cardinality_matching.hpp>

#include "emulator/base/numbers.hpp"

namespace kport::search {
namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// The parts into which a graph falls without one node or one link: by node the number of its part; `no_node32` for the node left out.
std::vector<Node32> parts_without(const Graph& graph, Node32 node, Node32 other = no_node32) {
    std::vector<Node32> part(graph.nodes(), no_node32);
    Node32 parts = 0;
    const auto is_left_out = [&](Node32 u, Node32 v) {
        return other != no_node32 && ((u == node && v == other) || (u == other && v == node));
    };
    for (Node32 first = 0; first < graph.nodes(); ++first) {
        if (part[first] != no_node32 || (other == no_node32 && first == node)) continue;
        std::vector<Node32> stack{first};
        part[first] = parts;
        while (!stack.empty()) {
            const Node32 u = stack.back();
            stack.pop_back();
            for (const Node32 v : graph.neighbours(u)) {
                if (part[v] != no_node32 || (other == no_node32 && v == node) || is_left_out(u, v)) continue;
                part[v] = parts;
                stack.push_back(v);
            }
        }
        ++parts;
    }
    return part;
}

/// The most links of a graph of which no two meet at a node.
std::uint64_t largest_matching(const Graph& graph) {
    using Links = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
    Links links(graph.nodes());
    for (Node32 u = 0; u < graph.nodes(); ++u)
        for (const Node32 v : graph.neighbours(u))
            if (u < v) boost::add_edge(u, v, links);
    std::vector<std::size_t> partner(graph.nodes());
    boost::matching<Links, std::size_t*, boost::property_map<Links, boost::vertex_index_t>::type,
                    boost::edmonds_augmenting_path_finder, boost::greedy_matching, boost::no_matching_verifier>(
        links, partner.data(), get(boost::vertex_index, links));
    return boost::matching_size(links, partner.data());
}

class Loads {
  public:
    explicit Loads(const Question& question)
        : question_(question), graph_(*question.machine.topology), packets_(packets_needed(question)) {}

    [[nodiscard]] std::vector<Argument> arguments() {
        if (!have_one_owner(packets_)) return {};
        for (Node32 v = 0; v < graph_.nodes(); ++v) of_node(v);
        for (Node32 u = 0; u < graph_.nodes(); ++u)
            for (const Node32 v : graph_.neighbours(u)) of_bridge(u, v);
        of_hops();
        return {node_, bridge_, hops_};
    }

  private:
    [[nodiscard]] static Node32 owner_of(const NeededPacket& packet) { return packet.owners.front(); }

    static void raise(Argument& argument, std::uint64_t value, const std::string& why) {
        if (static_cast<double>(value) <= argument.value) return;
        argument.value = static_cast<double>(value);
        argument.why = why;
    }

    /// A packet leaves v once for each part beside v that wants it and does not own it.
    void of_node(Node32 v) {
        const std::vector<Node32> part = parts_without(graph_, v);
        std::uint64_t sends = 0;
        std::uint64_t receipts = 0;
        for (const NeededPacket& packet : packets_) {
            std::vector<Node32> parts;
            bool is_wanted = false;
            for (const Node32 w : packet.receivers) {
                if (w == v)
                    is_wanted = true;
                else if (owner_of(packet) == v || part[w] != part[owner_of(packet)])
                    parts.push_back(part[w]);
            }
            std::ranges::sort(parts);
            parts.erase(std::ranges::unique(parts).begin(), parts.end());
            sends += parts.size();
            if (owner_of(packet) != v && (is_wanted || !parts.empty())) ++receipts;
        }
        const std::uint64_t ports = question_.sends_of(v);
        const std::uint64_t ports_in = question_.receives_of(v);
        if (ports == 0 || ports_in == 0) return;
        if (ports != ports_in) {
            raise(node_, std::max(ceil_div(sends, ports), ceil_div(receipts, ports_in)),
                  fmt::format("Node {} sends {}, at most {} a round, and receives {}, at most {}.", v, sends, ports,
                              receipts, ports_in));
            return;
        }
        const std::uint64_t most = question_.shares_ports(v) ? sends + receipts : std::max(sends, receipts);
        raise(node_, ceil_div(most, ports),
              fmt::format("Node {} sends {} and receives {}, through {}.", v, sends, receipts, counted(ports, "port")));
    }

    void of_bridge(Node32 u, Node32 v) {
        const std::vector<Node32> part = parts_without(graph_, u, v);
        if (part[u] == part[v]) return;
        std::uint64_t crossing = 0;
        for (const NeededPacket& packet : packets_)
            if (part[owner_of(packet)] == part[u] &&
                std::ranges::any_of(packet.receivers, [&](Node32 w) { return part[w] == part[v]; }))
                ++crossing;
        const std::uint64_t capacity = question_.capacity(u, v);
        raise(bridge_, ceil_div(crossing, capacity),
              fmt::format("{} cross the link from {} to {}, {} a round.", counted(crossing, "packet"), u, v,
                          capacity == 1 ? "one" : std::to_string(capacity)));
    }

    void of_hops() {
        std::vector<std::vector<std::uint32_t>> distance;
        for (Node32 v = 0; v < graph_.nodes(); ++v) distance.push_back(graph_.distances({&v, 1}));
        std::uint64_t hops = 0;
        for (const NeededPacket& packet : packets_) {
            std::uint64_t farthest = 0;
            for (const Node32 w : packet.receivers)
                farthest = std::max<std::uint64_t>(farthest, distance[owner_of(packet)][w]);
            hops += std::max<std::uint64_t>(farthest, packet.receivers.size());
        }
        if (const std::uint64_t most = links_crossed_in_a_round(); most != 0)
            raise(hops_, ceil_div(hops, most),
                  fmt::format("Packets cross at least {}, at most {} a round.", counted(hops, "link"), most));
    }

    /// At most so many packets move in a round. Partners of a round are a matching of the graph.
    [[nodiscard]] std::uint64_t links_crossed_in_a_round() const {
        const Machine& machine = question_.machine;
        const bool is_half = machine.duplex == Duplex::half;
        if (machine.pairwise) {
            const bool one_way = machine.links == Duplex::half || (is_half && machine.ports.of_degree(2) < 2);
            std::uint64_t largest = 1;
            for (Node32 v = 0; v < graph_.nodes(); ++v) largest = std::max(largest, question_.largest_capacity(v));
            return largest_matching(graph_) * largest * (one_way ? 1 : 2);
        }
        std::uint64_t sends = 0;
        std::uint64_t receipts = 0;
        for (Node32 v = 0; v < graph_.nodes(); ++v) {
            sends += machine.sends_of(v);
            receipts += machine.receives_of(v);
        }
        return is_half ? sends / 2 : std::min(sends, receipts);
    }

    const Question& question_;
    Graph graph_;
    std::vector<NeededPacket> packets_;
    Argument node_{"packets of a node", 0, "", "ports of a node, and parts beside a cut node"};
    Argument bridge_{"packets over a bridge", 0, "", "one packet a channel and round"};
    Argument hops_{"hops over all ports", 0, "", "counting"};
};

/// Looking at each packet at each node and channel takes less than about a second.
bool is_small(const Question& question) {
    constexpr double steps_max = 1 << 28;
    const auto nodes = static_cast<double>(question.nodes());
    const auto packets = static_cast<double>(question.collective.packets(question.nodes()));
    const auto channels = static_cast<double>(question.machine.topology->channels());
    return nodes * (packets * nodes + channels) < steps_max;
}

}  // namespace

std::vector<Argument> loads_of(const Question& question) {
    if (question.bundles() || question.collective.folds() || !is_small(question)) return {};
    return Loads(question).arguments();
}

std::vector<Argument> told_late(const Question& question) {
    const Machine& machine = question.machine;
    if (question.operation() != Operation::allreduce || !is_small(question) || machine.duplex == Duplex::half ||
        machine.links == Duplex::half)
        return {};
    const Graph graph(*machine.topology);
    Argument argument{"a cut node tells late", 0, "", "docs/search.md"};
    for (Node32 v = 0; v < graph.nodes(); ++v) {
        const std::vector<Node32> part = parts_without(graph, v);
        const std::vector<std::uint32_t> distance = graph.distances({&v, 1});
        std::vector<std::uint64_t> depth;
        for (Node32 w = 0; w < graph.nodes(); ++w) {
            if (w == v) continue;
            if (part[w] >= depth.size()) depth.resize(part[w] + std::size_t{1});
            depth[part[w]] = std::max<std::uint64_t>(depth[part[w]], distance[w]);
        }
        const std::uint64_t parts = depth.size();
        if (parts < 2) continue;
        const std::uint64_t ports = question.sends_of(v);
        const std::uint64_t ports_in = question.receives_of(v);
        std::uint64_t heard_least = std::numeric_limits<std::uint64_t>::max();
        for (std::size_t i = 0; i < parts; ++i) {
            std::uint64_t heard = ceil_div(parts - 1, ports_in);
            for (std::size_t j = 0; j < parts; ++j)
                if (j != i) heard = std::max(heard, depth[j]);
            heard_least = std::min(heard_least, heard);
        }
        const std::uint64_t segments = question.bundles() ? 1 : question.collective.packets_each;
        const std::uint64_t rounds =
            heard_least + ceil_div(parts * segments, ports) + *std::ranges::min_element(depth) - 1;
        if (static_cast<double>(rounds) <= argument.value) continue;
        argument.value = static_cast<double>(rounds);
        argument.why = fmt::format(
            "Without node {} the graph has {} parts; it sends into each after it has heard of all others, and the last "
            "message "
            "still has to reach its part.",
            v, parts);
    }
    if (argument.value == 0) return {};
    return {argument};
}

}  // namespace kport::search
