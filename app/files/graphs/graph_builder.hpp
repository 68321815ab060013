/// @file graph_builder.hpp   The nodes and links that a reader finds in a file, and the graph that they make.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/graphs/text_source.hpp"
#include "emulator/topology/stored_graph.hpp"

namespace kport {

/// Gives the words that name nodes the numbers 0, 1, ... in the order in which they come.
/// Idea      A table of slots, half empty: a slot has a part of the word's hash beside the number, so that nearly every word
///           that is looked at is the one that is asked for. std::unordered_map takes twice the time, most of it for memory.
class NodeNumbers {
  public:
    [[nodiscard]] std::uint32_t of(std::string_view name);
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] const std::string& name(std::uint32_t node) const { return names_[node]; }

  private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t node = 0;  ///< 1 + the number; 0: empty
    };
    [[nodiscard]] std::uint32_t of_any(std::string_view name);
    /// Where the name is, or an empty slot for it.
    [[nodiscard]] Slot& slot_of(std::string_view name, std::uint64_t hash);
    void grow();

    std::vector<std::string> names_;
    std::vector<Slot> slots_ = std::vector<Slot>(1024);  ///< a power of two
    std::vector<std::uint32_t> by_count_;  ///< 1 + the number of the node whose name is that count; 0: not yet seen
};

/// What makes a graph of links that a reader finds one by one. It refuses what no machine can be made of: a loop, a link
/// that comes twice, nodes that cannot reach each other.
/// Memory   16 bytes a link while the file is read, and the nodes' names; DoesNotFit before it is taken where it is not there.
class GraphBuilder {
  public:
    explicit GraphBuilder(const TextSource& text) : text_(text) {}

    /// The nodes have no names, and are so many. Refuses none, and more than 32 bits count.
    void set_nodes(std::uint64_t nodes, const TextPlace& at);
    /// The file tells how many nodes its links name: another number is refused in the end. One alone needs no link.
    void say_nodes(std::uint64_t nodes, const TextPlace& at);
    /// The node of that name; it is numbered by its name if all are whole numbers, else by its first place. Refuses a name that
    /// is empty, is no UTF-8 or has control characters.
    [[nodiscard]] std::uint32_t node(std::string_view name, const TextPlace& at);
    /// The format has a list of nodes: who is not declared is refused.
    void expect_declarations() { listed_ = true; }
    /// The node stands in the list of nodes, once, and that gives it its number.
    std::uint32_t declare(std::string_view name, const TextPlace& at);
    /// What a node is called instead, if all labels differ. Blanks and control characters become one space.
    void label(std::uint32_t node, std::string_view text, const TextPlace& at);

    void link(std::uint32_t a, std::uint32_t b, const TextPlace& at);
    /// a lists b, and b must list a. Only these, or only links.
    void arc(std::uint32_t a, std::uint32_t b, const TextPlace& at) {
        both_ways_ = true;
        (a < b ? forth_ : back_).add(*this, a, b, at);
    }
    [[nodiscard]] std::uint64_t arcs() const { return forth_.links.size() + back_.links.size(); }

    /// Throws RequestError. Uses up what was collected.
    [[nodiscard]] std::shared_ptr<const Topology> graph(std::string spec);

  private:
    struct Found {
        std::vector<StoredGraph::Link> links;
        std::vector<TextPlace> places;

        void add(const GraphBuilder& of, std::uint32_t a, std::uint32_t b, const TextPlace& at);
    };

    [[nodiscard]] std::uint64_t nodes() const { return numbered_ ? nodes_ : names_.size(); }
    /// As the file says it: its name, or its number from 1 where the format counts so.
    [[nodiscard]] std::string said(std::uint32_t node) const;
    void require_name(std::string_view name, const TextPlace& at) const;
    void require_memory(std::uint64_t links) const;
    void require_declared() const;
    void require_both_ways();
    void require_linked() const;
    void require_each_once(const StoredGraph& graph) const;
    void require_connected(const StoredGraph& graph) const;
    [[nodiscard]] std::vector<std::uint32_t> final_numbers() const;
    [[nodiscard]] std::vector<std::string> final_names(const std::vector<std::uint32_t>& number) const;

    const TextSource& text_;
    NodeNumbers names_;
    std::vector<std::uint32_t> declared_;  ///< 1 + the place in the list of nodes
    std::uint32_t declarations_ = 0;
    std::vector<std::string> labels_;
    bool listed_ = false;
    bool both_ways_ = false;
    bool numbered_ = false;
    std::uint64_t nodes_ = 0;
    std::optional<std::uint64_t> said_nodes_;
    TextPlace said_nodes_at_;
    Found forth_;  ///< links; of arcs those to higher nodes
    Found back_;   ///< arcs to lower nodes
};

}  // namespace kport
