#include "app/files/graphs/graph_builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>

#include "app/files/graphs/text_source.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

constexpr std::uint64_t stored_nodes_max = std::numeric_limits<std::uint32_t>::max() - 1;
using Link = StoredGraph::Link;

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::optional<double> number_in(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    return to_real(text);
}

// ---- names -----------------------------------------------------------------------------------------------------------

std::uint64_t NodeNumbers::slot_of(std::string_view name, std::uint64_t hash) const {
    const std::uint64_t mask = slots_.size() - 1;
    for (std::uint64_t i = hash >> 32;; ++i) {
        const Slot& slot = slots_[i & mask];
        if (slot.node == 0 || (slot.hash == static_cast<std::uint32_t>(hash) && names_[slot.node - 1] == name))
            return i & mask;
    }
}

std::optional<std::uint32_t> NodeNumbers::find(std::string_view name) const {
    const Slot& slot = slots_[slot_of(name, std::hash<std::string_view>()(name))];
    return slot.node == 0 ? std::nullopt : std::optional(slot.node - 1);
}

std::uint32_t NodeNumbers::of(std::string_view name) {
    constexpr std::uint64_t table_least = 1 << 16;
    constexpr std::uint64_t table_for_each = 16;
    const std::optional<std::uint64_t> count = to_count(name);
    if (!count || *count >= table_least + table_for_each * names_.size()) return of_any(name);
    if (*count >= by_count_.size()) by_count_.resize(*count + 1);
    std::uint32_t& known = by_count_[*count];
    if (known == 0) known = 1 + of_any(name);  // it may have come when the table was shorter
    return known - 1;
}

std::uint32_t NodeNumbers::of_any(std::string_view name) {
    const std::uint64_t hash = std::hash<std::string_view>()(name);
    Slot& slot = slots_[slot_of(name, hash)];
    if (slot.node != 0) return slot.node - 1;
    names_.emplace_back(name);
    const auto node = static_cast<std::uint32_t>(names_.size());
    slot = {static_cast<std::uint32_t>(hash), node};
    if (2 * names_.size() > slots_.size()) grow();
    return node - 1;
}

void NodeNumbers::grow() {
    slots_.assign(2 * slots_.size(), {});
    for (std::uint32_t v = 0; v < names_.size(); ++v) {
        const std::uint64_t hash = std::hash<std::string_view>()(names_[v]);
        slots_[slot_of(names_[v], hash)] = {static_cast<std::uint32_t>(hash), v + 1};
    }
}

// ---- nodes -------------------------------------------------------------------------------------------------------------

GraphBuilder::GraphBuilder(const TextSource& text, GraphOptions options) : text_(text), options_(std::move(options)) {
    if (!options_.switches.starts_with('@')) return;
    const std::size_t equal = options_.switches.find('=');
    if (equal == std::string::npos || equal == 1)
        throw RequestError(
            fmt::format("--switches {}: want @ATTRIBUTE=VALUE, such as @type=router", quoted(options_.switches)));
    switch_attribute_ = options_.switches.substr(1, equal - 1);
    switch_value_ = options_.switches.substr(equal + 1);
}

void GraphBuilder::set_nodes(std::uint64_t nodes, const TextPlace& at, std::uint32_t first) {
    if (nodes == 0) text_.refuse(at, "a graph without nodes; want at least one");
    if (nodes > stored_nodes_max)
        text_.refuse(at, fmt::format("{} nodes; a graph from a file has at most {}", nodes, stored_nodes_max));
    numbered_ = true;
    nodes_ = nodes;
    first_ = first;
}

void GraphBuilder::say_nodes(std::uint64_t nodes, const TextPlace& at) {
    if (nodes == 1) (void)node("0", at);  // one node needs no link
    said_nodes_ = nodes;
    said_nodes_at_ = at;
}

void GraphBuilder::require_name(std::string_view name, const TextPlace& at) const {
    if (name.size() > TextSource::word_max)
        text_.refuse(at, fmt::format("a name of more than {} bytes", TextSource::word_max));
    if (!is_plain_utf8(name))
        text_.refuse(at, fmt::format("the name {} has control characters or is no UTF-8", quoted(in_ascii(name))));
}

std::uint32_t GraphBuilder::node(std::string_view name, const TextPlace& at) {
    if (name.empty()) text_.refuse(at, "an empty name; want a name for each node");
    require_name(name, at);
    const std::size_t before = names_.size();
    const std::uint32_t found = names_.of(name);
    // Asked when the names have doubled, not whenever a known one comes again: the answer is read from the system.
    if (names_.size() != before && std::has_single_bit(names_.size())) require_memory(links_.size());
    return found;
}

std::uint32_t GraphBuilder::declare(std::string_view name, const TextPlace& at) {
    const std::uint32_t found = node(name, at);
    if (declared_.size() < names_.size()) declared_.resize(names_.size());
    if (declared_[found] != 0) text_.refuse(at, fmt::format("two nodes are called {}", quoted(name)));
    declared_[found] = ++declarations_;
    return found;
}

void GraphBuilder::call(Called by, std::uint32_t node, std::string_view text, const TextPlace& at) {
    std::vector<std::string>& labels = labels_[static_cast<std::size_t>(by)];
    if (labels.size() <= node) labels.resize(node + 1);
    labels[node] = in_one_line(text);
    require_name(labels[node], at);
}

void GraphBuilder::node_attribute(std::uint32_t node, std::string_view name, std::string_view value) {
    if (!options_.node_values.empty() && name == options_.node_values) {
        if (node_values_.size() <= node) node_values_.resize(node + 1);
        node_values_[node] = value;
    }
    const bool of_file = switch_attribute_.empty();
    if (name != (of_file ? "kind" : switch_attribute_)) return;
    if (marked_.size() <= node) marked_.resize(node + 1);
    marked_[node] = value == (of_file ? "switch" : switch_value_);
}

std::string GraphBuilder::said(std::uint32_t node) const {
    return numbered_ ? fmt::to_string(node + std::uint64_t{first_}) : quoted(names_.name(node));
}

std::string GraphBuilder::called(std::uint32_t node) const {
    for (const std::vector<std::string>& labels : labels_)
        if (node < labels.size() && !labels[node].empty()) return quoted(labels[node]);
    return said(node);
}

// ---- links -------------------------------------------------------------------------------------------------------------

void GraphBuilder::require_undirected(std::string_view what, const TextPlace& at) {
    if (!options_.undirected)
        text_.refuse(at,
                     fmt::format("{} is directed; want undirected links, or --undirected, which takes each arc as a "
                                 "link",
                                 what));
    if (listing_ != Listing::arcs) note(fmt::format("{} is directed; each arc is taken as a link", what));
    listing_ = Listing::arcs;
}

void GraphBuilder::link(std::uint32_t a, std::uint32_t b, const TextPlace& at) {
    last_is_loop_ = a == b;
    if (last_is_loop_) {
        ++loops_;
        return;
    }
    if (links_.size() == links_.capacity()) require_memory(2 * links_.size());
    links_.push_back({a, b});
    places_.push_back(at);
}

void GraphBuilder::require_memory(std::uint64_t links) const {
    constexpr std::uint64_t bytes_link = 64;   // both while a list grows, what sorts it, and the graph
    constexpr std::uint64_t bytes_node = 160;  // its name and where it is found
    const std::uint64_t wanted = links * (bytes_link + 8 * attributes_.size()) + 2 * names_.size() * bytes_node;
    if (wanted > memory_available())
        throw DoesNotFit(
            fmt::format("graph {}: {} links and {} nodes read so far; what follows needs more memory than there is",
                        quoted(text_.name()), links_.size(), nodes()));
}

std::size_t GraphBuilder::attribute(std::string_view name) {
    if (const auto known = attribute_numbers_.find(name); known != attribute_numbers_.end()) return known->second;
    constexpr std::size_t most = 1000;
    if (attributes_.size() == most) text_.refuse(fmt::format("more than {} attributes of links", most));
    std::string plain = in_one_line(name);
    if (!is_plain_utf8(plain)) plain = in_ascii(plain);
    attributes_.push_back({std::move(plain), {}});
    attribute_numbers_.emplace(name, attributes_.size() - 1);
    return attributes_.size() - 1;
}

void GraphBuilder::set(std::size_t attribute, double value) {
    if (last_is_loop_ || links_.empty()) return;
    Attribute& column = attributes_[attribute];
    column.values.resize(links_.size() - 1, no_value);
    column.values.push_back(value);
    column.all_one &= value == 1;
}

void GraphBuilder::set(std::string_view name, std::string_view value) {
    const std::size_t column = attribute(name);
    if (const auto number = number_in(value))
        set(column, *number);
    else
        attributes_[column].numeric = false;
}

void GraphBuilder::drop_attribute_if_all_one(std::size_t attribute) {
    if (attributes_[attribute].all_one) attributes_[attribute].numeric = false;
}

void GraphBuilder::forget_first_link(const std::array<std::uint32_t, 2>& nodes,
                                     const std::array<bool, 2>& named_again) {
    if (nodes[0] == nodes[1]) {
        --loops_;
    } else {
        links_.erase(links_.begin());
        places_.erase(places_.begin());
        for (Attribute& column : attributes_)
            if (!column.values.empty()) column.values.erase(column.values.begin());
    }
    for (std::size_t i = 0; i < 2; ++i)
        if (!named_again[i] && (i == 0 || nodes[1] != nodes[0])) forgotten_.push_back(nodes[i]);
}

// ---- links that several lines of the file make -------------------------------------------------------------------------

/// A link as the file lists it, below its lower node: the upper node, and its place among the links, with a bit for the direction from
/// the upper to the lower node. Sorted, links of the same nodes stand together, those from the lower node first.
struct ListedLink {
    static constexpr std::uint32_t back = std::uint32_t{1} << 31;
    std::uint32_t upper;
    std::uint32_t order;

    auto operator<=>(const ListedLink&) const = default;
};

namespace {

/// Sorts the links into the nodes by which they are found; first[v] becomes the end of those of node v.
std::vector<ListedLink> listed_by_lower_node(const std::vector<Link>& links, std::vector<std::uint64_t>& first) {
    for (const Link& link : links) ++first[std::min(link.a, link.b)];
    std::exclusive_scan(first.begin(), first.end(), first.begin(), std::uint64_t{0});
    std::vector<ListedLink> listed(links.size());
    for (std::uint32_t i = 0; i < links.size(); ++i) {
        const auto [a, b] = links[i];
        listed[first[std::min(a, b)]++] = {std::max(a, b), a < b ? i : i | ListedLink::back};
    }
    return listed;
}

}  // namespace

/// The lines that join the same two nodes.
struct GraphBuilder::Group {
    const ListedLink* begin;
    std::uint32_t forth = 0;  ///< from the lower to the upper node
    std::uint32_t back = 0;

    [[nodiscard]] std::uint32_t lines() const { return forth + back; }
    /// Number of the i-th line among the links, those from the lower node first.
    [[nodiscard]] std::uint32_t line(std::uint32_t i) const { return begin[i].order & ~ListedLink::back; }
};

bool GraphBuilder::same_attributes(std::uint32_t one, std::uint32_t other) const {
    return std::ranges::all_of(attributes_, [&](const Attribute& column) {
        const double a = one < column.values.size() ? column.values[one] : no_value;
        const double b = other < column.values.size() ? column.values[other] : no_value;
        return !column.numeric || a == b || (std::isnan(a) && std::isnan(b));
    });
}

/// Whether every link stands twice in the list, once each way. Refuses such a list with different weights as directed.
bool GraphBuilder::both_directions(const std::vector<Group>& groups) {
    if (groups.empty() || !std::ranges::all_of(groups, [](const Group& g) { return g.forth == 1 && g.back == 1; }))
        return false;
    const auto differs =
        std::ranges::find_if(groups, [&](const Group& g) { return !same_attributes(g.line(0), g.line(1)); });
    if (differs != groups.end())
        require_undirected("a list of links with other weights in the opposite direction", places_[differs->line(1)]);
    return true;
}

void GraphBuilder::require_listed_both_ways(const std::vector<Group>& groups) {
    for (const Group& group : groups) {
        const std::uint32_t line = group.line(0);
        const auto& [a, b] = links_[line];
        const bool differs = group.forth == 1 && group.back == 1 && !same_attributes(group.line(0), group.line(1));
        if (group.forth == group.back && !differs) continue;
        if (listing_ == Listing::as_matrix) {
            require_undirected(differs ? "a graph with other weights in the opposite direction"
                                       : fmt::format("a link from {} to {} without its opposite", said(a), said(b)),
                               places_[line]);
            return;
        }
        if (differs)
            text_.refuse(places_[line], fmt::format("nodes {} and {} give their link different weights; want the same",
                                                    said(a), said(b)));
        if (group.lines() > 1) {
            const auto& [from, to] = links_[group.line(group.forth > 1 ? 0 : group.forth)];
            text_.refuse(places_[line],
                         fmt::format("node {} lists {} twice; want each link once", said(from), said(to)));
        }
        text_.refuse(places_[line],
                     fmt::format("node {0} lists {1}, and {1} does not list {0}; want links in both directions",
                                 said(a), said(b)));
    }
}

void GraphBuilder::refuse_parallel(const Group& group) const {
    const std::uint32_t first = std::min(group.line(0), group.line(1));
    const std::uint32_t second = std::max(group.line(0), group.line(1));
    text_.refuse(places_[second],
                 fmt::format("nodes {} and {} are linked already in line {}; want each link once, or --trunks (a link "
                             "of capacity 2) or --simplify (one link)",
                             said(links_[second].a), said(links_[second].b), places_[first].line));
}

void GraphBuilder::keep_least_attributes(const Group& group) {
    const std::uint32_t kept = group.line(0);
    for (Attribute& column : attributes_) {
        column.values.resize(links_.size(), no_value);
        for (std::uint32_t i = 1; i < group.lines(); ++i)
            column.values[kept] = std::fmin(column.values[kept], column.values[group.line(i)]);
    }
}

/// `lines`: how many of the group are links of their own, and not the opposite of one.
void GraphBuilder::merge(const Group& group, std::uint32_t lines, std::vector<Merged>& into) {
    const std::uint32_t first = group.line(0);
    Merged link{links_[first].a, links_[first].b, 1, first};
    if (lines > 1 && !merges_) {
        if (!options_.trunks && !options_.simplify) refuse_parallel(group);
        if (options_.trunks)
            for (std::uint32_t i = 1; i < group.lines(); ++i)
                if (!same_attributes(first, group.line(i)))
                    text_.refuse(
                        places_[group.line(i)],
                        fmt::format("nodes {} and {} have parallel links with different weights, which make no "
                                    "trunk; want the same, or --simplify",
                                    said(link.a), said(link.b)));
        if (options_.trunks) link.capacity = lines;
        if (options_.simplify) file_.parallel_merged += lines - 1;
    }
    if (group.lines() > 1) keep_least_attributes(group);
    into.push_back(link);
}

std::vector<GraphBuilder::Merged> GraphBuilder::merged_links() {
    if (links_.size() >= ListedLink::back) text_.refuse(fmt::format("more than {} links", ListedLink::back));
    std::vector<std::uint64_t> end(nodes());
    std::vector<ListedLink> listed = listed_by_lower_node(links_, end);
    std::vector<Group> groups;
    groups.reserve(listed.size());
    std::uint64_t begin = 0;
    for (const std::uint64_t behind : end) {
        std::sort(listed.begin() + static_cast<std::ptrdiff_t>(begin),
                  listed.begin() + static_cast<std::ptrdiff_t>(behind));
        while (begin < behind) {
            Group group{&listed[begin]};
            for (; begin < behind && listed[begin].upper == group.begin->upper; ++begin)
                ++(listed[begin].order < ListedLink::back ? group.forth : group.back);
            groups.push_back(group);
        }
    }
    if (listing_ == Listing::both_ways || listing_ == Listing::as_matrix) require_listed_both_ways(groups);
    const bool twice = listing_ == Listing::once && both_directions(groups);
    if (twice) note("each link is listed in both directions, and is one link");
    std::vector<Merged> links;
    links.reserve(groups.size());
    for (const Group& group : groups) {
        const bool pairs = twice || listing_ != Listing::once;  // a link and its opposite are one
        merge(group, pairs ? std::max(group.forth, group.back) : group.lines(), links);
    }
    return links;
}

// ---- the graph ---------------------------------------------------------------------------------------------------------

void GraphBuilder::require_declared() const {
    if (!listed_ || declarations_ == names_.size()) return;
    const auto declared = [&](std::uint32_t node) { return node < declared_.size() && declared_[node] != 0; };
    for (std::size_t i = 0; i < links_.size(); ++i)
        for (const std::uint32_t end : {links_[i].a, links_[i].b})
            if (!declared(end)) text_.refuse(places_[i], fmt::format("no node is called {}", quoted(names_.name(end))));
    for (std::uint32_t v = 0; v < names_.size(); ++v)  // at both ends of a loop
        if (!declared(v)) text_.refuse(fmt::format("no node is called {}", quoted(names_.name(v))));
}

/// Marked in the file, or by the options, which come before the file.
std::vector<bool> GraphBuilder::switches(const std::vector<Merged>& links) const {
    const std::string& wanted = options_.switches;
    std::vector<bool> found(nodes());
    const auto mark = [&](std::string_view name) {
        for (const std::vector<std::string>& labels : labels_)
            if (const auto at = std::ranges::find(labels, name); at != labels.end()) {
                found[static_cast<std::size_t>(at - labels.begin())] = true;
                return true;
            }
        const std::optional<std::uint64_t> count = to_count(name);
        const auto node = numbered_ ? (count && *count >= first_ && *count < first_ + nodes()
                                           ? std::optional(static_cast<std::uint32_t>(*count - first_))
                                           : std::nullopt)
                                    : names_.find(name);
        if (node) found[*node] = true;
        return node.has_value();
    };
    if (wanted == "inner") {
        std::vector<std::uint32_t> degree(nodes());
        for (const Merged& link : links) {
            ++degree[link.a];
            ++degree[link.b];
        }
        for (std::size_t v = 0; v < found.size(); ++v) found[v] = degree[v] > 1;
    } else if (!wanted.empty() && wanted.front() != '@') {
        for (const std::string_view name : split(wanted, ','))
            if (!mark(name)) text_.refuse(fmt::format("--switches: no node is called {}", quoted(name)));
    } else {
        for (std::size_t v = 0; v < marked_.size(); ++v)
            if (marked_[v]) found[v] = true;
        if (wanted.empty())
            for (const auto& [name, at] : switch_names_)
                if (!mark(name)) text_.refuse(at, fmt::format("no node is called {}", quoted(name)));
    }
    if (!wanted.empty() && std::ranges::find(found, true) == found.end())
        text_.refuse(fmt::format("--switches {}: no node is one", quoted(wanted)));
    return found;
}

/// The nodes that stay: all, or those of the largest connected part. Refuses a graph that is not connected unless the options say
/// that its largest part is meant.
std::vector<bool> GraphBuilder::largest_part(const std::vector<Merged>& links, const std::vector<bool>& is_switch) {
    std::vector<std::uint32_t> part(nodes());
    std::iota(part.begin(), part.end(), 0U);
    const auto root = [&](std::uint32_t v) {
        for (; part[v] != v; v = part[v]) part[v] = part[part[v]];
        return v;
    };
    for (const Merged& link : links) {
        const std::uint32_t a = root(link.a);
        const std::uint32_t b = root(link.b);
        part[std::max(a, b)] = std::min(a, b);
    }
    std::vector<bool> stays(nodes(), true);
    for (const std::uint32_t v : forgotten_) stays[v] = false;
    struct Size {
        std::uint32_t hosts = 0;
        std::uint32_t nodes = 0;
        bool operator==(const Size&) const = default;
        auto operator<=>(const Size&) const = default;
    };
    std::vector<Size> sizes(nodes());
    const std::vector<std::uint32_t> order = node_order();
    for (const std::uint32_t v : order) {
        Size& size = sizes[root(v)];
        size.hosts += is_switch[v] ? 0 : 1;
        ++size.nodes;
    }
    const std::uint32_t* best = &order.front();
    for (const std::uint32_t& v : order)
        if (sizes[root(v)] > sizes[root(*best)]) best = &v;
    const std::uint32_t kept = root(*best);
    const std::uint64_t dropped = order.size() - sizes[kept].nodes;
    if (dropped == 0) return stays;
    if (!options_.largest) {
        const std::uint32_t from = order.front();
        const auto apart = std::ranges::find_if(order, [&](std::uint32_t v) { return root(v) != root(from); });
        text_.refuse(
            fmt::format("nodes {} and {} cannot reach each other; want a connected graph, or --largest, which "
                        "keeps its largest part",
                        called(from), called(*apart)));
    }
    for (const std::uint32_t v : order) stays[v] = root(v) == kept;
    file_.nodes_dropped = dropped;
    note(fmt::format("{} dropped: {} not in the largest connected part", counted(dropped, "node"),
                     dropped == 1 ? "it is" : "they are"));
    return stays;
}

/// By declaration, by value, or by first appearance.
std::vector<std::uint32_t> GraphBuilder::node_order() const {
    std::vector<std::uint32_t> order(nodes());
    std::iota(order.begin(), order.end(), 0U);
    for (const std::uint32_t v : forgotten_) std::erase(order, v);
    if (listed_) {
        std::ranges::sort(order, {}, [&](std::uint32_t v) { return declared_[v]; });
        return order;
    }
    if (numbered_) return order;
    std::vector<std::uint64_t> value(nodes());
    for (const std::uint32_t v : order) {
        const std::optional<std::uint64_t> count = to_count(names_.name(v));
        if (!count) return order;
        value[v] = *count;
    }
    std::ranges::sort(order, {}, [&](std::uint32_t v) { return value[v]; });
    return order;
}

/// The labels, the names or the ids of the nodes, whichever first differ for all; none where the numbers say the same.
std::vector<std::string> GraphBuilder::final_names(const std::vector<std::uint32_t>& order) const {
    const auto id = [&](std::uint32_t v) {
        return numbered_ ? fmt::to_string(v + std::uint64_t{first_}) : in_one_line(names_.name(v));
    };
    const std::vector<std::string> no_labels;
    for (const std::vector<std::string>* labels : {&labels_[0], &labels_[1], &no_labels}) {
        if (labels != &no_labels && labels->empty()) continue;
        std::vector<std::string> names(order.size());
        bool say = false;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::uint32_t v = order[i];
            names[i] = v < labels->size() && !(*labels)[v].empty() ? (*labels)[v] : id(v);
            const std::string plain = std::to_string(i);
            if (names[i].empty()) names[i] = plain;
            say |= names[i] != plain;
        }
        if (!say) return {};
        if (labels == &no_labels && numbered_) return names;
        const std::unordered_set<std::string_view> different(names.begin(), names.end());
        if (different.size() == names.size()) return names;
    }
    return {};
}

/// The attributes of these links, in their order.
void GraphBuilder::put_attributes(const std::vector<Merged>& links) {
    for (Attribute& column : attributes_) {
        if (!column.numeric || column.values.empty()) continue;
        column.values.resize(links_.size(), no_value);
        std::vector<double> values;
        values.reserve(links.size());
        for (const Merged& link : links) values.push_back(column.values[link.first]);
        file_.attributes.push_back({std::move(column.name), std::move(values)});
        column = {};
    }
}

/// The attribute of links that the options name becomes their capacity.
void GraphBuilder::take_capacities(std::vector<Merged>& links) const {
    const std::string& by = options_.capacity_by;
    if (by.empty()) return;
    const auto refuse = [&](const std::string& why) {
        text_.refuse(fmt::format("--capacity-by {}: {}", quoted(by), why));
    };
    const auto attribute = std::ranges::find(file_.attributes, by, &LinkAttribute::name);
    std::vector<std::string_view> names;
    for (const LinkAttribute& one : file_.attributes) names.push_back(one.name);
    if (attribute == file_.attributes.end())
        return refuse(fmt::format(
            "no attribute of links with finite numbers is called so{}{}", did_you_mean(by, names),
            names.empty() ? "; want a file whose links have one" : fmt::format(" ({})", fmt::join(names, ", "))));
    for (std::size_t i = 0; i < links.size(); ++i) {
        const double value = attribute->values[i];
        const auto where = [&] {
            const auto& [a, b] = links_[links[i].first];
            return fmt::format("the link between {} and {}", said(a), said(b));
        };
        if (std::isnan(value)) return refuse(where() + " has no such attribute; want it on every link");
        if (value < 1 || value > std::numeric_limits<std::uint32_t>::max() || value != std::floor(value))
            return refuse(fmt::format("{} has {}; want a whole number of messages a round, 1 or more", where(), value));
        links[i].capacity = static_cast<std::uint32_t>(value);
    }
}

/// Before memory is taken for nodes that a file only counts.
void GraphBuilder::require_linked() const {
    constexpr std::uint64_t bytes_node = 96;
    if (numbered_ && !options_.largest && nodes() > std::max<std::uint64_t>(2 * links_.size(), 1)) {
        std::vector<bool> linked(2 * links_.size() + 1);  // one of so many nodes has no link
        for (const Link& link : links_)
            for (const std::uint32_t end : {link.a, link.b})
                if (end < linked.size()) linked[end] = true;
        const auto first = static_cast<std::uint32_t>(std::ranges::find(linked, false) - linked.begin());
        text_.refuse(fmt::format(
            "node {} has no links; want a connected graph, or --largest, which keeps its largest part", called(first)));
    }
    if (nodes() > memory_available() / bytes_node)
        throw DoesNotFit(
            fmt::format("graph {}: {} nodes need more memory than there is", quoted(text_.name()), nodes()));
}

void GraphBuilder::require_nodes() const {
    const std::uint64_t there = nodes() - forgotten_.size();
    if (said_nodes_ && *said_nodes_ != there)
        text_.refuse(said_nodes_at_, fmt::format("{} nodes are said here, and the links have {}", *said_nodes_, there));
    if (there == 0) text_.refuse("it has no nodes; want at least one link, or one node");
    if (nodes() > stored_nodes_max) text_.refuse(fmt::format("more than {} nodes", stored_nodes_max));
    require_declared();
    require_linked();
}

void GraphBuilder::note_what_is_dropped() {
    file_.loops_dropped = loops_;
    if (loops_ > 0) note(fmt::format("{} dropped: no message goes from a node to itself", counted(loops_, "loop")));
    if (file_.parallel_merged > 0)
        note(fmt::format("{} merged into others (--simplify)", counted(file_.parallel_merged, "parallel link")));
}

/// The links between nodes that stay, with the numbers that these have in this order.
void GraphBuilder::renumber(std::vector<Merged>& links, const std::vector<std::uint32_t>& order,
                            const std::vector<bool>& stays) const {
    std::vector<std::uint32_t> number(nodes());
    for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    std::erase_if(links, [&](const Merged& link) { return !stays[link.a]; });
    for (Merged& link : links) {
        const std::uint32_t a = number[link.a];
        const std::uint32_t b = number[link.b];
        link.a = std::min(a, b);
        link.b = std::max(a, b);
    }
}

GraphFile GraphBuilder::graph(std::string spec) {
    require_nodes();
    std::vector<Merged> links = merged_links();
    note_what_is_dropped();
    const std::vector<bool> is_switch = switches(links);
    const std::vector<bool> stays = largest_part(links, is_switch);
    std::vector<std::uint32_t> order = node_order();
    std::erase_if(order, [&](std::uint32_t v) { return !stays[v]; });
    const auto behind_hosts = std::ranges::stable_partition(order, [&](std::uint32_t v) { return !is_switch[v]; });
    file_.hosts = order.size() - behind_hosts.size();
    if (file_.hosts == 0) text_.refuse("every node is a switch; want at least one host");
    if (!node_values_.empty()) {
        node_values_.resize(nodes());
        for (const std::uint32_t v : order) file_.node_values.push_back(node_values_[v]);
    }
    renumber(links, order, stays);
    if (options_.trunks || !attributes_.empty())  // which stand in the order of the links
        std::ranges::sort(links, {}, [](const Merged& link) { return std::uint64_t{link.a} << 32 | link.b; });
    put_attributes(links);
    take_capacities(links);
    const bool has_trunks = std::ranges::any_of(links, [](const Merged& link) { return link.capacity > 1; });
    std::vector<Link> ends;
    ends.reserve(links.size());
    for (const Merged& link : links) ends.push_back({link.a, link.b});
    if (has_trunks)
        for (const Merged& link : links) file_.capacities.push_back(link.capacity);
    file_.topology = std::make_shared<const StoredGraph>(std::move(spec), order.size(), ends, final_names(order));
    return std::move(file_);
}

}  // namespace kport
