#include "app/files/graphs/graph_builder.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "app/files/graphs/utf8.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

constexpr std::uint64_t stored_nodes_max = std::numeric_limits<std::uint32_t>::max() - 1;
using Link = StoredGraph::Link;

std::uint64_t pair_of(const Link& link) {
    return std::uint64_t{std::min(link.a, link.b)} << 32 | std::max(link.a, link.b);
}

}  // namespace

// ---- names -----------------------------------------------------------------------------------------------------------

NodeNumbers::Slot& NodeNumbers::slot_of(std::string_view name, std::uint64_t hash) {
    const std::uint64_t mask = slots_.size() - 1;
    for (std::uint64_t i = hash >> 32;; ++i) {
        Slot& slot = slots_[i & mask];
        if (slot.node == 0 || (slot.hash == static_cast<std::uint32_t>(hash) && names_[slot.node - 1] == name))
            return slot;
    }
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
    Slot& slot = slot_of(name, hash);
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
        slot_of(names_[v], hash) = {static_cast<std::uint32_t>(hash), v + 1};
    }
}

// ---- what a reader says ------------------------------------------------------------------------------------------------

void GraphBuilder::set_nodes(std::uint64_t nodes, const TextPlace& at) {
    if (nodes == 0) text_.refuse(at, "a graph without nodes; want at least one");
    if (nodes > stored_nodes_max)
        text_.refuse(at, fmt::format("{} nodes; a graph from a file has at most {}", nodes, stored_nodes_max));
    numbered_ = true;
    nodes_ = nodes;
}

void GraphBuilder::say_nodes(std::uint64_t nodes, const TextPlace& at) {
    if (nodes == 1) (void)node("0", at);  // who alone needs no link
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
    const std::size_t known = names_.size();
    if ((known & (known - 1)) == 0) require_memory(forth_.links.size());
    return names_.of(name);
}

std::uint32_t GraphBuilder::declare(std::string_view name, const TextPlace& at) {
    const std::uint32_t found = node(name, at);
    if (declared_.size() < names_.size()) declared_.resize(names_.size());
    if (declared_[found] != 0) text_.refuse(at, fmt::format("two nodes are called {}", quoted(name)));
    declared_[found] = ++declarations_;
    return found;
}

void GraphBuilder::label(std::uint32_t node, std::string_view text, const TextPlace& at) {
    if (labels_.size() <= node) labels_.resize(node + 1);
    labels_[node] = in_one_line(text);
    require_name(labels_[node], at);
}

void GraphBuilder::link(std::uint32_t a, std::uint32_t b, const TextPlace& at) { forth_.add(*this, a, b, at); }

void GraphBuilder::Found::add(const GraphBuilder& of, std::uint32_t a, std::uint32_t b, const TextPlace& at) {
    if (a == b) of.text_.refuse(at, fmt::format("node {} is linked to itself; want links of two nodes", of.said(a)));
    if (links.size() == links.capacity()) of.require_memory(2 * links.size());
    links.push_back({a, b});
    places.push_back(at);
}

void GraphBuilder::require_memory(std::uint64_t links) const {
    constexpr std::uint64_t bytes_link = 48;   // both while a list grows, and the graph
    constexpr std::uint64_t bytes_node = 160;  // its name and where it is found
    const std::uint64_t wanted = links * bytes_link + 2 * names_.size() * bytes_node;
    if (wanted > memory_available())
        throw DoesNotFit(
            fmt::format("graph {}: {} links and {} nodes read so far; what follows needs more memory than there is",
                        quoted(text_.name()), forth_.links.size(), nodes()));
}

std::string GraphBuilder::said(std::uint32_t node) const {
    return numbered_ ? fmt::to_string(node + std::uint64_t{1}) : quoted(names_.name(node));
}

// ---- the graph ---------------------------------------------------------------------------------------------------------

void GraphBuilder::require_declared() const {
    if (!listed_ || declarations_ == names_.size()) return;
    const auto declared = [&](std::uint32_t node) { return node < declared_.size() && declared_[node] != 0; };
    for (std::size_t i = 0; i < forth_.links.size(); ++i)
        for (const std::uint32_t end : {forth_.links[i].a, forth_.links[i].b})
            if (!declared(end))
                text_.refuse(forth_.places[i], fmt::format("no node is called {}", quoted(names_.name(end))));
}

/// Every arc has its opposite.
void GraphBuilder::require_both_ways() {
    if (!both_ways_) return;
    const auto sorted = [](const Found& found) {
        std::vector<std::uint64_t> pairs;
        for (const Link& link : found.links) pairs.push_back(pair_of(link));
        std::ranges::sort(pairs);
        return pairs;
    };
    const std::vector<std::uint64_t> forth = sorted(forth_);
    const std::vector<std::uint64_t> back = sorted(back_);
    const auto [in_forth, in_back] = std::ranges::mismatch(forth, back);
    if (in_forth == forth.end() && in_back == back.end()) return;
    const bool of_forth = in_back == back.end() || (in_forth != forth.end() && *in_forth < *in_back);
    const Found& found = of_forth ? forth_ : back_;
    const std::uint64_t pair = of_forth ? *in_forth : *in_back;
    const auto at = std::ranges::find(found.links, pair, pair_of);
    const TextPlace& place = found.places[static_cast<std::size_t>(at - found.links.begin())];
    if (std::ranges::count(found.links, pair, pair_of) > 1)
        text_.refuse(place, fmt::format("node {} lists {} twice; want each link once", said(at->a), said(at->b)));
    text_.refuse(place, fmt::format("node {0} lists {1}, and {1} does not list {0}; want links in both directions",
                                    said(at->a), said(at->b)));
}

/// Before memory is taken for nodes that a file only counts.
void GraphBuilder::require_linked() const {
    const std::uint64_t ends = 2 * (forth_.links.size() + back_.links.size());
    if (!numbered_ || nodes() <= std::max<std::uint64_t>(ends, 1)) return;
    std::vector<bool> linked(ends + 1);
    for (const Found* found : {&forth_, &back_})
        for (const Link& link : found->links)
            for (const std::uint32_t end : {link.a, link.b})
                if (end < linked.size()) linked[end] = true;
    const auto first = std::ranges::find(linked, false) - linked.begin();
    text_.refuse(fmt::format("node {} has no links; want a connected graph", said(static_cast<std::uint32_t>(first))));
}

void GraphBuilder::require_each_once(const StoredGraph& graph) const {
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        const auto list = graph.neighbours(v);
        if (std::ranges::adjacent_find(list) == list.end()) continue;
        std::unordered_map<std::uint64_t, TextPlace> seen;
        for (std::size_t i = 0; i < forth_.links.size(); ++i) {
            const auto [earlier, is_new] = seen.emplace(pair_of(forth_.links[i]), forth_.places[i]);
            if (!is_new)
                text_.refuse(forth_.places[i],
                             fmt::format("nodes {} and {} are linked already in line {}; want each link once",
                                         said(forth_.links[i].a), said(forth_.links[i].b), earlier->second.line));
        }
    }
}

void GraphBuilder::require_connected(const StoredGraph& graph) const {
    std::vector<bool> seen(graph.nodes());
    std::vector<std::uint32_t> open{0};
    seen[0] = true;
    while (!open.empty()) {
        const std::uint32_t v = open.back();
        open.pop_back();
        for (const std::uint32_t w : graph.neighbours(v)) {
            if (seen[w]) continue;
            seen[w] = true;
            open.push_back(w);
        }
    }
    const auto apart = std::ranges::find(seen, false);
    if (apart == seen.end()) return;
    const auto other = static_cast<NodeId>(apart - seen.begin());
    const auto called = [&](NodeId v) {
        const std::string label = graph.label(v);
        return !label.empty() ? quoted(label) : numbered_ ? fmt::to_string(v + 1) : quoted(std::to_string(v));
    };
    text_.refuse(
        fmt::format("nodes {} and {} cannot reach each other; want a connected graph", called(0), called(other)));
}

/// By declaration, by value, or by first appearance.
std::vector<std::uint32_t> GraphBuilder::final_numbers() const {
    std::vector<std::uint32_t> number(nodes());
    if (listed_) {
        for (std::size_t v = 0; v < number.size(); ++v) number[v] = declared_[v] - 1;
        return number;
    }
    std::vector<std::uint32_t> order(nodes());
    std::iota(order.begin(), order.end(), 0U);
    std::vector<std::uint64_t> value;
    for (std::uint32_t v = 0; v < names_.size(); ++v) {
        const std::optional<std::uint64_t> count = to_count(names_.name(v));
        if (!count) break;
        value.push_back(*count);
    }
    if (value.size() == order.size()) std::ranges::sort(order, {}, [&](std::uint32_t v) { return value[v]; });
    for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    return number;
}

/// Labels where they name all nodes differently, else the names in the file where these do in one line; none where the
/// numbers say the same.
std::vector<std::string> GraphBuilder::final_names(const std::vector<std::uint32_t>& number) const {
    if (numbered_) return {};
    for (const bool labels : {true, false}) {
        std::vector<std::string> names(number.size());
        bool tell = false;
        for (std::uint32_t v = 0; v < number.size(); ++v) {
            std::string& name = names[number[v]];
            name = labels && v < labels_.size() && !labels_[v].empty() ? labels_[v] : in_one_line(names_.name(v));
            const std::string plain = std::to_string(number[v]);
            if (name.empty()) name = plain;
            tell |= name != plain;
        }
        if (!tell) return {};
        const std::unordered_set<std::string_view> different(names.begin(), names.end());
        if (different.size() == names.size()) return names;
    }
    return {};
}

std::shared_ptr<const Topology> GraphBuilder::graph(std::string spec) {
    if (said_nodes_ && *said_nodes_ != nodes())
        text_.refuse(said_nodes_at_,
                     fmt::format("{} nodes are said here, and the links have {}", *said_nodes_, nodes()));
    if (nodes() == 0) text_.refuse("it has no nodes; want at least one link, or one node");
    if (nodes() > stored_nodes_max) text_.refuse(fmt::format("more than {} nodes", stored_nodes_max));
    require_declared();
    require_both_ways();
    require_linked();
    const std::vector<std::uint32_t> number = final_numbers();
    std::vector<Link> links = forth_.links;
    for (auto& [a, b] : links) {
        a = number[a];
        b = number[b];
    }
    auto graph = std::make_shared<const StoredGraph>(std::move(spec), nodes(), links, final_names(number));
    require_each_once(*graph);
    require_connected(*graph);
    return graph;
}

}  // namespace kport
