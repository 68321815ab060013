/// @file graph_builder.hpp   The nodes and links that a reader finds in a file, and the graph that they make.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/graph_file.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/topology/stored_graph.hpp"

namespace kport {

/// Gives the words that name nodes the numbers 0, 1, ... in the order in which they come.
/// Idea      A table of slots, half empty: a slot has a part of the word's hash beside the number, so that nearly every word
///           that is looked at is the one that is asked for. std::unordered_map takes twice the time, most of it for memory.
class NodeNumbers {
  public:
    [[nodiscard]] std::uint32_t of(std::string_view name);
    /// The number of a name that has come; nothing for any other.
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] const std::string& name(std::uint32_t node) const { return names_[node]; }

  private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t node = 0;  ///< 1 + the number; 0: empty
    };
    [[nodiscard]] std::uint32_t of_any(std::string_view name);
    /// Index of the slot that has the name, or of an empty one for it.
    [[nodiscard]] std::uint64_t slot_of(std::string_view name, std::uint64_t hash) const;
    void grow();

    std::vector<std::string> names_;
    std::vector<Slot> slots_ = std::vector<Slot>(1024);  ///< a power of two
    std::vector<std::uint32_t> by_count_;  ///< 1 + the number of the node whose name is that count; 0: not yet seen
};

/// How often, and which way, a format lists a link.
enum class Listing : std::uint8_t {
    once,           ///< once; a file that has every link twice, once each way, lists both directions
    once_or_twice,  ///< once or once each way, as lists of neighbours do
    both_ways,      ///< once each way; anything else is a fault
    as_matrix,      ///< once each way; a link without its opposite is directed
    arcs            ///< a directed link each
};

/// Makes a graph of the nodes and links that a reader finds one by one. Drops loops; refuses what no machine can be made of:
/// directed links, parallel links, nodes that cannot reach each other, unless the options say how to take them.
/// Memory   28 bytes a link while the file is read, 8 more for each attribute, and the nodes' names; DoesNotFit before it is taken
///          where it is not there.
class GraphBuilder {
  public:
    GraphBuilder(const TextSource& text, GraphOptions options);

    [[nodiscard]] const GraphOptions& options() const { return options_; }

    // ---- nodes

    /// The file numbers its nodes, from `first` (0 or 1) on, and there are so many. Refuses 0, and more than 32 bits count.
    void set_nodes(std::uint64_t nodes, const TextPlace& at, std::uint32_t first);
    /// How many nodes the links will name; another number is refused in the end. One node needs no link.
    void say_nodes(std::uint64_t nodes, const TextPlace& at);
    /// The node of that name; it is numbered by its name if all are whole numbers, else by its first place. Refuses a name that
    /// is empty, is no UTF-8 or has control characters.
    [[nodiscard]] std::uint32_t node(std::string_view name, const TextPlace& at);
    /// Whether a node of that name has come.
    [[nodiscard]] bool knows(std::string_view name) const { return names_.find(name).has_value(); }
    [[nodiscard]] std::uint64_t nodes() const { return numbered_ ? nodes_ : names_.size(); }
    /// The format has a list of nodes: a node that is not declared is refused.
    void expect_declarations() { listed_ = true; }
    /// Gives a node its number: its place in the list of nodes. Refuses a second node of that name.
    std::uint32_t declare(std::string_view name, const TextPlace& at);
    [[nodiscard]] std::uint32_t declared() const { return declarations_; }
    /// A node is called by its label if all labels differ, else by its other name if all these do, else as node() has it. Blanks
    /// and control characters become one space.
    enum class Called : std::uint8_t { label, name };
    void call(Called by, std::uint32_t node, std::string_view text, const TextPlace& at);
    /// An attribute of a node: `kind` says whether it is a switch, others do if the options name them.
    void node_attribute(std::uint32_t node, std::string_view name, std::string_view value);
    /// Marks the node of that name as a switch; it may come later.
    void switch_named(std::string_view name, const TextPlace& at) { switch_names_.emplace_back(name, at); }

    // ---- links

    void set_listing(Listing listing) { listing_ = listing; }
    /// Links that are listed several times count once, without a note.
    void merge_repetitions() { merges_ = true; }
    /// Refuses a directed graph unless the options take arcs as links; `what` says why it is directed: "a digraph".
    void require_undirected(std::string_view what, const TextPlace& at);
    void link(std::uint32_t a, std::uint32_t b, const TextPlace& at);
    [[nodiscard]] std::uint64_t links() const { return links_.size() + loops_; }
    [[nodiscard]] std::uint64_t loops() const { return loops_; }
    /// Index of a numeric attribute of links, for set().
    [[nodiscard]] std::size_t attribute(std::string_view name);
    /// Value of an attribute of the last link.
    void set(std::size_t attribute, double value);
    /// An attribute of the last link; one that is not a number for every link that has it is left out.
    void set(std::string_view attribute, std::string_view value);
    /// Leaves the attribute out if every value of it is 1.
    void drop_attribute_if_all_one(std::size_t attribute);

    // ---- the first line of a list of links, which may be a header

    /// Removes the first link, whose nodes are `nodes`; of these only those stay that were named again.
    void forget_first_link(const std::array<std::uint32_t, 2>& nodes, const std::array<bool, 2>& named_again);

    // ---- the graph

    void note(std::string sentence) { file_.notes.push_back(std::move(sentence)); }
    void set_layout(std::string_view separator, bool header) {
        file_.separator = separator;
        file_.header = header;
    }
    /// Throws RequestError. Uses up what was collected.
    [[nodiscard]] GraphFile graph(std::string spec);

  private:
    struct Attribute {
        std::string name;
        std::vector<double> values;
        bool numeric = true;
        bool all_one = true;
    };
    /// A link of the graph: of one or several lines of the file.
    struct Merged {
        std::uint32_t a;
        std::uint32_t b;
        std::uint32_t capacity;
        std::uint32_t first;  ///< the line that gives its attributes
    };
    struct Group;

    /// As the file says it: its name or its number.
    [[nodiscard]] std::string said(std::uint32_t node) const;
    [[nodiscard]] std::string called(std::uint32_t node) const;
    void require_name(std::string_view name, const TextPlace& at) const;
    void require_memory(std::uint64_t links) const;
    void require_nodes() const;
    void require_declared() const;
    void require_linked() const;
    void note_what_is_dropped();
    void renumber(std::vector<Merged>& links, const std::vector<std::uint32_t>& order,
                  const std::vector<bool>& stays) const;
    void require_listed_both_ways(const std::vector<Group>& groups);
    [[nodiscard]] bool both_directions(const std::vector<Group>& groups);
    [[nodiscard]] std::vector<Merged> merged_links();
    void merge(const Group& group, std::uint32_t lines, std::vector<Merged>& into);
    [[nodiscard]] bool same_attributes(std::uint32_t one, std::uint32_t other) const;
    void keep_least_attributes(const Group& group);
    [[noreturn]] void refuse_parallel(const Group& group) const;
    [[nodiscard]] std::vector<bool> switches(const std::vector<Merged>& links) const;
    [[nodiscard]] std::vector<bool> largest_part(const std::vector<Merged>& links, const std::vector<bool>& is_switch);
    [[nodiscard]] std::vector<std::uint32_t> node_order() const;
    [[nodiscard]] std::vector<std::string> final_names(const std::vector<std::uint32_t>& order) const;
    void put_attributes(const std::vector<Merged>& links);
    void take_capacities(std::vector<Merged>& links) const;

    const TextSource& text_;
    GraphOptions options_;
    GraphFile file_;
    std::string switch_attribute_;  ///< @ATTRIBUTE=VALUE of the options
    std::string switch_value_;
    NodeNumbers names_;
    std::vector<std::uint32_t> declared_;  ///< 1 + the place in the list of nodes
    std::uint32_t declarations_ = 0;
    std::array<std::vector<std::string>, 2> labels_;  ///< by Called
    std::vector<bool> marked_;                        ///< switches
    std::vector<std::pair<std::string, TextPlace>> switch_names_;
    std::vector<std::string> node_values_;  ///< of the attribute that the options ask for
    std::vector<std::uint32_t> forgotten_;  ///< nodes that only a header named
    Listing listing_ = Listing::once;
    bool listed_ = false;
    bool merges_ = false;
    bool numbered_ = false;
    std::uint32_t first_ = 0;
    std::uint64_t nodes_ = 0;
    std::optional<std::uint64_t> said_nodes_;
    TextPlace said_nodes_at_;
    std::vector<StoredGraph::Link> links_;
    std::vector<TextPlace> places_;
    bool last_is_loop_ = false;
    std::uint64_t loops_ = 0;
    std::vector<Attribute> attributes_;
    std::map<std::string, std::size_t, std::less<>> attribute_numbers_;
};

/// A finite number in decimal, also with a sign; nothing for any other text.
[[nodiscard]] std::optional<double> number_in(std::string_view text);

}  // namespace kport
