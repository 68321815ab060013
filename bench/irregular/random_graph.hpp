/// @file random_graph.hpp   A random graph of degree 4: two random rings through all nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/random.hpp"
#include "emulator/topology/topology.hpp"

namespace kport::bench {

/// Ports 0 and 1 lead forward and backward around the first ring, 2 and 3 around the second. No link is in both.
class RandomGraph final : public Topology {
  public:
    /// At least 7 nodes.
    RandomGraph(NodeId nodes, std::uint64_t seed) : Topology(fmt::format("random:{}", nodes), nodes, 4) {
        Dice dice(seed);
        ends_.resize(nodes * ports(), no_node);
        for (const Port out : {0U, 2U}) {
            std::vector<NodeId> ring(nodes);
            std::iota(ring.begin(), ring.end(), NodeId{0});
            do {
                dice.shuffle(ring);
            } while (meets_first(ring));  // one in seven does not
            for (std::size_t i = 0; i < nodes; ++i) {
                const NodeId next = ring[(i + 1) % nodes];
                ends_[ring[i] * 4 + out] = next;
                ends_[next * 4 + out + 1] = ring[i];
            }
        }
        for (NodeId v = 0; v < nodes; ++v) distances_.push_back(distances_from(v));
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override { return {ends_[v * 4 + p], p ^ 1U}; }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        for (Port p = 0; p < 4; ++p)
            if (ends_[v * 4 + p] == w) return p;
        return no_port;
    }
    [[nodiscard]] Port degree(NodeId) const override { return 4; }
    [[nodiscard]] Port max_degree() const override { return 4; }
    [[nodiscard]] std::uint64_t channels() const override { return ends_.size(); }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override { return distances_[v][w]; }
    [[nodiscard]] Hops eccentricity(NodeId v) const override { return *std::ranges::max_element(distances_[v]); }
    [[nodiscard]] Hops diameter() const override {
        Hops most = 0;
        for (NodeId v = 0; v < nodes(); ++v) most = std::max(most, eccentricity(v));
        return most;
    }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        std::vector<std::uint64_t> profile(eccentricity(v) + 1);
        for (const Hops distance : distances_[v]) ++profile[distance];
        return profile;
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return false; }
    [[nodiscard]] bool bipartite() const override {
        for (NodeId v = 0; v < nodes(); ++v)
            for (Port p = 0; p < 4; ++p)
                if (distances_[0][v] % 2 == distances_[0][ends_[v * 4 + p]] % 2) return false;
        return true;
    }
    [[nodiscard]] Port route(NodeId at, NodeId to) const override {
        for (Port p = 0; p < 4; ++p)
            if (distances_[ends_[at * 4 + p]][to] < distances_[at][to]) return p;
        return no_port;
    }

  private:
    /// Whether neighbours of a ring are neighbours in the first.
    [[nodiscard]] bool meets_first(const std::vector<NodeId>& ring) const {
        for (std::size_t i = 0; i < ring.size(); ++i)
            if (port_to(ring[i], ring[(i + 1) % ring.size()]) != no_port) return true;
        return false;
    }

    [[nodiscard]] std::vector<Hops> distances_from(NodeId v) const {
        std::vector<Hops> distances(nodes(), nodes());
        std::vector<NodeId> reached{v};
        distances[v] = 0;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (Port p = 0; p < 4; ++p)
                if (const NodeId w = ends_[reached[i] * 4 + p]; distances[w] == nodes()) {
                    distances[w] = distances[reached[i]] + 1;
                    reached.push_back(w);
                }
        return distances;
    }

    std::vector<NodeId> ends_;  ///< by node and port
    std::vector<std::vector<Hops>> distances_;
};

}  // namespace kport::bench
