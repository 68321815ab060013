/// @file broken.hpp   Machines with broken links and nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// Links and nodes of a graph that are broken, among hosts and switches alike. A broken node takes its links with it.
struct BrokenParts {
    using Link = std::pair<NodeId, NodeId>;  ///< the lower number first
    struct Thinned {
        Link link;
        std::uint64_t lost;  ///< of its parallel links; fewer than there are

        bool operator==(const Thinned&) const = default;
    };

    std::vector<Link> links;            ///< ascending, each once
    std::vector<NodeId> nodes;          ///< ascending, each once
    std::vector<Thinned> thinned = {};  ///< trunks that lost some links, ascending, each once and none of `links`

    [[nodiscard]] bool empty() const { return links.empty() && nodes.empty() && thinned.empty(); }
    [[nodiscard]] bool has(NodeId v) const { return std::ranges::binary_search(nodes, v); }
    [[nodiscard]] bool has(NodeId v, NodeId w) const {
        return std::ranges::binary_search(links, Link(std::minmax(v, w)));
    }
    bool operator==(const BrokenParts&) const = default;
};

/// Reads parts as `--broken` names them: "A--B" is a link, "A--B*2" two links of a trunk, "V" a node, with commas between them; names that hold a comma,
/// "--", "=" or quotes stand in double quotes, coordinates may stand in brackets. Throws RequestError, which begins with
/// `where`, for nodes and links that are not there and for parts named twice.
[[nodiscard]] BrokenParts broken_parts(const Topology& graph, std::string_view text, std::string_view where);
/// Returns the parts as broken_parts() reads them, each as text: links, then nodes.
[[nodiscard]] std::vector<std::string> names_of(const BrokenParts& parts, const Topology& graph);

/// A slow link, or where `to` is no_node a node, all of whose links are slow.
struct SlowPart {
    NodeId from;
    NodeId to;
    double factor;     ///< above 0
    std::string text;  ///< as slow_parts() reads it, without quotes: "0--1=4"
};

/// Reads parts as `--slow` names them: "A--B=F" and "V=F", nodes as broken_parts() reads them. Throws RequestError as that,
/// also for factors that are no finite number above 0.
[[nodiscard]] std::vector<SlowPart> slow_parts(const Topology& graph, std::string_view text, std::string_view where);

/// What broke, and how the nodes that are left are numbered: in their order. They keep their old number, or their name, as
/// name. On machines with switches the numbers are those of hosts and switches.
class Remains {
  public:
    /// `cut_off`: switches that lead nowhere any more, ascending; they are gone too.
    Remains(std::shared_ptr<const Topology> whole, BrokenParts parts, std::vector<NodeId> cut_off = {});
    virtual ~Remains() = default;
    Remains(const Remains&) = delete;
    Remains& operator=(const Remains&) = delete;

    /// Returns the graph before anything broke; of machines with switches the graph of the hosts.
    [[nodiscard]] const std::shared_ptr<const Topology>& whole() const { return whole_; }
    [[nodiscard]] const BrokenParts& broken() const { return broken_; }
    [[nodiscard]] const std::vector<NodeId>& cut_off() const { return cut_off_; }
    /// Returns the number of a node in the whole graph.
    [[nodiscard]] NodeId old(NodeId v) const;
    /// Returns the number of a node of the whole graph; no_node if it is gone.
    [[nodiscard]] NodeId left(NodeId old) const;
    /// Whether no node has another number than in the whole graph.
    [[nodiscard]] bool keeps_numbers() const { return gone_.empty(); }

  protected:
    /// Returns what node v is called besides its number: its name, or its old number.
    [[nodiscard]] std::string label_left(NodeId v) const;
    /// Reads a name or number of the whole graph. Throws RequestError for a node that is gone.
    [[nodiscard]] NodeId node_left(std::string_view text, const std::string& spec) const;

  private:
    std::shared_ptr<const Topology> whole_;
    BrokenParts broken_;
    std::vector<NodeId> cut_off_;
    std::vector<NodeId> gone_;  ///< ascending
    bool has_names_;            ///< the whole graph has names
};

/// What is left of a graph of plain links. Ports keep their labels, and broken ones lead nowhere.
///
/// Memory   O(broken parts) beside the graph.
/// Cost     O(log broken parts) a call. Distances take searches, whatever the whole graph knows by formula.
class BrokenTopology final : public Topology, public Remains {
  public:
    /// `parts` are parts of `whole`, and some node is left. Throws DoesNotFit, with two names, if nodes that are left
    /// cannot reach each other.
    BrokenTopology(std::shared_ptr<const Topology> whole, BrokenParts parts);

    [[nodiscard]] Port labels(NodeId v) const override { return whole_.labels(old(v)); }
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override;
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override;
    [[nodiscard]] Port degree(NodeId v) const override;
    [[nodiscard]] Port max_degree() const override;
    [[nodiscard]] std::uint64_t channels() const override;
    [[nodiscard]] std::string own_label(NodeId v) const override;
    /// Reads a name or number of the whole graph; "=3" is number 3 of what is left. Throws RequestError for a broken one.
    [[nodiscard]] NodeId own_node(std::string_view text) const override;

  private:
    void lose_links();
    void require_connected() const;
    [[nodiscard]] bool is_dead(NodeId old, NodeId other) const;

    const Topology& whole_;
    std::vector<std::pair<NodeId, Port>> lost_;  ///< nodes that are left and have lost links, ascending, and how many
    std::uint64_t lost_channels_ = 0;
    std::uint64_t near_ = 0;  ///< bit v mod 64 for each end v of a broken link
};

/// Returns what is left of a graph; the graph itself if nothing is broken. Parts of a graph with broken parts are added
/// to these. Throws RequestError, which begins with `where`, if no node is left, DoesNotFit if what is left is not connected.
[[nodiscard]] std::shared_ptr<const Topology> without(const std::shared_ptr<const Topology>& graph,
                                                      const BrokenParts& parts, std::string_view where);

/// Returns what is left of a graph with broken parts; null if it has none.
[[nodiscard]] const Remains* as_broken(const Topology& graph);
/// Returns the graph before anything broke; of a machine of members that of the machine that was named.
[[nodiscard]] const Topology& whole_of(const Topology& graph);
/// Returns the broken parts, each as text; none where nothing is broken.
[[nodiscard]] std::vector<std::string> broken_in(const Topology& graph);
/// Whether node 0, from which operations begin unless another is named, is broken.
[[nodiscard]] bool lacks_node_0(const Topology& graph);
/// Whether nodes have names that are not their numbers, as in files and where nodes are broken. O(nodes) for files.
[[nodiscard]] bool has_names(const Topology& graph);

}  // namespace kport
