#include "emulator/topology/broken.hpp"

#include <bit>
#include <numeric>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/predicate.hpp>
#include <boost/algorithm/string/replace.hpp>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/random_words.hpp"
#include "emulator/topology/stored_graph.hpp"

namespace kport {
namespace {

/// Reads "A--B" and "V", separated by commas, from left to right; with factors "A--B=F" and "V=F".
class PartsReader {
  public:
    PartsReader(const Topology& graph, std::string_view text, std::string_view where, bool with_factors = false)
        : graph_(graph), text_(text), where_(where), with_factors_(with_factors) {}

    BrokenParts read() {
        read_parts([] {});
        std::ranges::sort(parts_.links);
        std::ranges::sort(parts_.nodes);
        return std::move(parts_);
    }
    std::vector<SlowPart> read_slow() {
        std::vector<SlowPart> slow;
        std::size_t links = 0;
        read_parts([&] {
            const bool is_link = parts_.links.size() > links;
            links = parts_.links.size();
            const auto [from, to] = is_link ? parts_.links.back() : BrokenParts::Link(parts_.nodes.back(), no_node);
            const std::string_view typed = factor();
            const std::string name = is_link ? plain_name(from) + "--" + plain_name(to) : plain_name(from);
            slow.push_back({from, to, *to_real(typed), fmt::format("{}={}", name, typed)});
        });
        return slow;
    }

  private:
    /// Calls read_on() behind each part.
    template <class ReadOn>
    void read_parts(const ReadOn& read_on) {
        do {
            const std::string from = name();
            if (taken("--"))
                add_link(from, name());
            else
                add_node(from);
            read_on();
        } while (taken(","));
        if (at_ != text_.size()) refuse(fmt::format("{} after a name; want a comma", quoted(text_.substr(at_))));
    }
    [[noreturn]] void refuse(const std::string& why) const { throw RequestError(fmt::format("{}: {}", where_, why)); }
    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool taken(std::string_view sign) {
        skip_blanks();
        if (!text_.substr(at_).starts_with(sign)) return false;
        at_ += sign.size();
        return true;
    }

    std::string_view factor() {
        const std::size_t begin = taken("=") ? at_ : text_.size();
        at_ = std::min(text_.find(',', begin), text_.size());
        const std::string_view typed = text_.substr(begin, at_ - begin);
        const std::optional<double> factor = to_real(typed);
        if (!factor || *factor <= 0)
            refuse(fmt::format("{} is no factor; want a number above 0 behind each part, such as 0--1=4 or 3=2.5",
                               quoted(typed)));
        return typed;
    }
    /// Returns a node as name() reads it, without quotes of either kind: its name, or "=" and its number.
    [[nodiscard]] std::string plain_name(NodeId v) const;

    std::string name() {
        skip_blanks();
        std::string name;
        if (at_ < text_.size() && text_[at_] == '"') {
            name = name_in_quotes();
        } else if (at_ < text_.size() && text_[at_] == '(') {
            const std::size_t end = text_.find(')', at_);
            if (end == std::string_view::npos) refuse(fmt::format("no ')' ends {}", quoted(text_.substr(at_))));
            name = text_.substr(at_ + 1, end - at_ - 1);
            at_ = end + 1;
        } else {
            const std::size_t begin = at_;
            const auto ends = [&] {  // a first "=" stands before a number
                return at_ == text_.size() || text_[at_] == ',' || text_[at_] == '"' ||
                       (with_factors_ && text_[at_] == '=' && at_ > begin) || text_.substr(at_).starts_with("--");
            };
            while (!ends()) ++at_;
            name = text_.substr(begin, at_ - begin);
            while (name.ends_with(' ')) name.pop_back();
        }
        if (name.empty())
            refuse(with_factors_
                       ? "a name is missing; want A--B=F for a link and V=F for a node, with commas between "
                         "them, such as 0--1=4,3=2"
                       : "a name is missing; want A--B for a link and V for a node, with commas between them, "
                         "such as 0--1,3");
        return name;
    }
    std::string name_in_quotes() {
        std::string name;
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"' && !text_.substr(at_ + 1).starts_with('"')) {
                ++at_;
                return name;
            }
            at_ += text_[at_] == '"' ? 1 : 0;
            name += text_[at_];
        }
        refuse("a quote is not closed");
    }

    [[nodiscard]] NodeId node(const std::string& name) const {
        try {
            return graph_.node(name);
        } catch (const RequestError& error) {
            std::string why = error.what();
            if (why.starts_with("source ")) why.replace(0, sizeof("source") - 1, "node");
            refuse(why);
        }
    }
    void add_node(const std::string& name) {
        const NodeId v = node(name);
        if (std::ranges::find(parts_.nodes, v) != parts_.nodes.end())
            refuse(fmt::format("node {} is named twice", graph_.name(v)));
        parts_.nodes.push_back(v);
    }
    void add_link(const std::string& from, std::string to) {
        // "A--B*1" is one link of a trunk. Nothing else has a capacity here.
        const bool was_quoted = text_[at_ - 1] == '"';
        const std::size_t star = was_quoted ? std::string::npos : to.rfind('*');
        if (with_factors_ && (star != std::string::npos || taken("*")))
            refuse("all links of a trunk have one price; want A--B=F");
        const std::string count = star == std::string::npos ? taken("*") ? name() : "1" : to.substr(star + 1);
        if (star != std::string::npos) to.resize(star);
        const NodeId a = node(from);
        const NodeId b = node(to);
        if (count != "1")
            refuse(fmt::format("{} links between node {} and node {} where there is one", quoted(count), graph_.name(a),
                               graph_.name(b)));
        if (a == b) refuse(fmt::format("a link joins two nodes, and node {} is one", graph_.name(a)));
        if (graph_.port_to(a, b) == no_port)
            refuse(fmt::format("{} has no link between node {} and node {}{}", graph_.spec(), graph_.name(a),
                               graph_.name(b), links_of(a)));
        const BrokenParts::Link link(std::minmax(a, b));
        if (std::ranges::find(parts_.links, link) != parts_.links.end())
            refuse(fmt::format("the link between node {} and node {} is named twice", graph_.name(link.first),
                               graph_.name(link.second)));
        parts_.links.push_back(link);
    }
    /// "; node 0 has links to 1, 7".
    [[nodiscard]] std::string links_of(NodeId v) const {
        constexpr std::size_t shown = 8;
        std::vector<std::string> near;
        for (Port p = 0; p < graph_.labels(v) && near.size() <= shown; ++p)
            if (const NodeId w = graph_.across(v, p).node; w != no_node) near.push_back(graph_.name(w));
        if (near.empty()) return "";
        if (near.size() > shown) near.back() = "...";
        return fmt::format("; node {} has links to {}", graph_.name(v), fmt::join(near, ", "));
    }

    const Topology& graph_;
    std::string_view text_;
    std::string_view where_;
    bool with_factors_;
    std::size_t at_ = 0;
    BrokenParts parts_;
};

/// Returns a node's name, or its number where it has none, as broken_parts() reads it.
std::string typed_name(const Topology& graph, NodeId v, bool by_name) {
    const std::string label = by_name ? graph.label(v) : "";
    if (label.empty()) return std::to_string(v);
    const bool plain = label.find_first_of(",=\" *;(") == std::string::npos && !boost::contains(label, "--");
    return plain ? label : fmt::format("\"{}\"", boost::replace_all_copy(label, "\"", "\"\""));
}

std::string PartsReader::plain_name(NodeId v) const {
    std::string typed = typed_name(graph_, v, has_names(graph_));
    if (typed.find_first_of("\"'\\") == std::string::npos && graph_.node(typed) == v) return typed;
    return fmt::format("={}", v);
}

/// Finds out whether some nodes are connected, by searches from all of them at once: a step of each in turn, so that a
/// small part that is cut off ends soon.
class JoinedSearches {
  public:
    JoinedSearches(const Topology& graph, const std::vector<NodeId>& nodes) : graph_(graph), nodes_(nodes) {
        group_.resize(nodes.size());
        std::iota(group_.begin(), group_.end(), 0U);
        levels_.resize(nodes.size());
        open_.assign(nodes.size(), 1);
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            found_.emplace(nodes[i], i);
            levels_[i].push_back(nodes[i]);
        }
        groups_ = nodes.size();
    }

    /// Returns a node that cannot reach all others, and one that it cannot reach; nothing if all are connected.
    std::optional<std::pair<NodeId, NodeId>> parted() {
        std::vector<std::size_t> next(nodes_.size(), 0);
        while (groups_ > 1)
            for (std::uint32_t i = 0; i < nodes_.size() && groups_ > 1; ++i) {
                if (next[i] == levels_[i].size()) continue;
                step(i, levels_[i][next[i]++]);
                if (next[i] == levels_[i].size() && --open_[group(i)] == 0 && groups_ > 1) return cut_off(group(i));
            }
        return std::nullopt;
    }

  private:
    std::uint32_t group(std::uint32_t i) {
        while (group_[i] != i) i = group_[i] = group_[group_[i]];
        return i;
    }
    void step(std::uint32_t i, NodeId v) {
        constexpr std::size_t found_max = std::size_t{1} << 27;
        if (found_.size() > found_max)
            throw DoesNotFit(fmt::format("{} has {} nodes; whether they are connected takes a search of more than 2^27",
                                         graph_.spec(), graph_.nodes()));
        for_each_neighbour(graph_, v, [&](NodeId w) {
            const auto [at, is_new] = found_.emplace(w, i);
            if (is_new) {
                levels_[i].push_back(w);
                return;
            }
            const std::uint32_t one = group(i);
            const std::uint32_t other = group(at->second);
            if (one == other) return;
            group_[other] = one;
            open_[one] += open_[other];
            --groups_;
        });
    }
    std::optional<std::pair<NodeId, NodeId>> cut_off(std::uint32_t lost) {
        NodeId inside = no_node;
        NodeId outside = no_node;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            NodeId& lowest = group(i) == lost ? inside : outside;
            lowest = std::min(lowest, nodes_[i]);
        }
        return std::pair(inside, outside);
    }

    const Topology& graph_;
    const std::vector<NodeId>& nodes_;
    std::vector<std::uint32_t> group_;         ///< union-find
    std::vector<std::vector<NodeId>> levels_;  ///< what each search has found
    std::vector<std::size_t> open_;            ///< of each group: searches that go on
    std::unordered_map<NodeId, std::uint32_t> found_;
    std::size_t groups_ = 0;
};

std::string spec_of_broken(const BrokenParts& parts, const Topology& whole) {
    return fmt::format("broken:{};{}", fmt::join(names_of(parts, whole), ","), whole.spec());
}

/// A part of a fabric is a switch, a cable of a trunk or a link between them, which the graph of the hosts does not show.
void require_breakable(const Topology& graph, std::string_view where) {
    if (graph.fabric() != nullptr || graph.has_trunks())
        throw RequestError(
            fmt::format("{}: {} has switches or trunks; want a graph of hosts and plain links, or leave "
                        "the broken parts out",
                        where, graph.spec()));
}

}  // namespace

BrokenParts broken_parts(const Topology& graph, std::string_view text, std::string_view where) {
    require_breakable(graph, where);
    return PartsReader(graph, text, where).read();
}

std::vector<SlowPart> slow_parts(const Topology& graph, std::string_view text, std::string_view where) {
    return PartsReader(graph, text, where, true).read_slow();
}

std::vector<std::string> names_of(const BrokenParts& parts, const Topology& graph) {
    const bool by_name = has_names(graph);
    std::vector<std::string> names;
    for (const auto& [a, b] : parts.links)
        names.push_back(fmt::format("{}--{}", typed_name(graph, a, by_name), typed_name(graph, b, by_name)));
    for (const NodeId v : parts.nodes) names.push_back(typed_name(graph, v, by_name));
    return names;
}

BrokenTopology::BrokenTopology(std::shared_ptr<const Topology> whole, BrokenParts parts)
    : Topology(spec_of_broken(parts, *whole), whole->nodes() - parts.nodes.size(), whole->ports()),
      whole_(std::move(whole)), broken_(std::move(parts)), has_names_(has_names(*whole_)) {
    lose_links();
    require_connected();
}

void BrokenTopology::lose_links() {
    std::vector<std::pair<NodeId, Port>> lost;
    const auto lose = [&](NodeId v) {
        ++lost_channels_;
        if (!broken_.has(v)) lost.emplace_back(left(v), 1);
    };
    for (const auto& [a, b] : broken_.links) {
        near_ |= std::uint64_t{1} << (a % 64) | std::uint64_t{1} << (b % 64);
        if (broken_.has(a) || broken_.has(b)) continue;  // lost with its node
        lose(a);
        lose(b);
    }
    for (const NodeId v : broken_.nodes)
        for_each_neighbour(*whole_, v, [&](NodeId w) {
            ++lost_channels_;  // away from v; that towards it here or with w
            if (!broken_.has(w)) lose(w);
        });
    std::ranges::sort(lost);
    for (const auto& [v, links] : lost)
        if (!lost_.empty() && lost_.back().first == v)
            lost_.back().second += links;
        else
            lost_.emplace_back(v, links);
}

void BrokenTopology::require_connected() const {
    std::vector<NodeId> ends;  // each part that is cut off has one of these
    for (const auto& [v, links] : lost_) ends.push_back(v);
    if (ends.size() < 2) return;
    if (const auto parted = JoinedSearches(*this, ends).parted())
        throw DoesNotFit(fmt::format("node {} and node {} cannot reach each other on {} without {}",
                                     whole_->name(old(parted->first)), whole_->name(old(parted->second)),
                                     whole_->spec(), fmt::join(names_of(broken_, *whole_), ", ")));
}

NodeId BrokenTopology::old(NodeId v) const {
    if (broken_.nodes.empty()) return v;
    // The i-th broken node stands behind nodes[i] - i nodes that are left.
    std::size_t below = 0;
    for (std::size_t count = broken_.nodes.size(); count > 0;) {
        const std::size_t half = count / 2;
        if (broken_.nodes[below + half] - (below + half) <= v) {
            below += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return v + below;
}

NodeId BrokenTopology::left(NodeId old) const {
    const auto at = std::ranges::lower_bound(broken_.nodes, old);
    if (at != broken_.nodes.end() && *at == old) return no_node;
    return old - static_cast<NodeId>(at - broken_.nodes.begin());
}

bool BrokenTopology::is_dead(NodeId old, NodeId other) const {
    return (near_ >> (old % 64) & 1) != 0 && broken_.has(old, other);
}

LinkEnd BrokenTopology::across(NodeId v, Port p) const {
    const NodeId from = old(v);
    LinkEnd end = whole_->across(from, p);
    if (end.node == no_node || is_dead(from, end.node)) return {};
    end.node = left(end.node);
    return end.node == no_node ? LinkEnd{} : end;
}

Port BrokenTopology::port_to(NodeId v, NodeId w) const {
    return is_dead(old(v), old(w)) ? no_port : whole_->port_to(old(v), old(w));
}

Port BrokenTopology::degree(NodeId v) const {
    const auto at = std::ranges::lower_bound(lost_, v, {}, &std::pair<NodeId, Port>::first);
    const Port lost = at != lost_.end() && at->first == v ? at->second : 0;
    return whole_->degree(old(v)) - lost;
}

Port BrokenTopology::max_degree() const {
    // Most graphs have many nodes of the largest degree, and few of them have lost a link.
    constexpr std::uint64_t tries = 256;
    const Port most = whole_->max_degree();
    for (std::uint64_t i = 0; i < tries; ++i)
        if (degree(mixed(i) % nodes()) == most) return most;
    return Topology::max_degree();
}

std::uint64_t BrokenTopology::channels() const { return whole_->channels() - lost_channels_; }

std::string BrokenTopology::label(NodeId v) const {
    const NodeId was = old(v);
    std::string label = whole_->label(was);
    if (keeps_numbers() || (!label.empty() && has_names_)) return label;
    return was == v ? std::string() : std::to_string(was);
}

NodeId BrokenTopology::node(std::string_view text) const {
    if (text.starts_with('=')) return Topology::node(text);
    const NodeId was = whole_->node(text);
    const NodeId v = left(was);
    if (v == no_node)
        throw RequestError(
            fmt::format("source {}: node {} is broken on {}; want another", quoted(text), whole_->name(was), spec()));
    return v;
}

std::shared_ptr<const Topology> without(const std::shared_ptr<const Topology>& graph, const BrokenParts& parts,
                                        std::string_view where) {
    if (parts.empty()) return graph;
    require_breakable(*graph, where);
    if (parts.nodes.size() == graph->nodes())
        throw RequestError(fmt::format("{}: all nodes of {} are broken; want one left", where, graph->spec()));
    const BrokenTopology* before = as_broken(*graph);
    if (before == nullptr) return std::make_shared<const BrokenTopology>(graph, parts);
    BrokenParts all = before->broken();
    for (const auto& [a, b] : parts.links) all.links.emplace_back(before->old(a), before->old(b));
    for (const NodeId v : parts.nodes) all.nodes.push_back(before->old(v));
    std::ranges::sort(all.links);
    std::ranges::sort(all.nodes);
    return std::make_shared<const BrokenTopology>(before->whole(), std::move(all));
}

const BrokenTopology* as_broken(const Topology& graph) { return dynamic_cast<const BrokenTopology*>(&graph); }

const Topology& whole_of(const Topology& graph) {
    const BrokenTopology* broken = as_broken(graph);
    return broken == nullptr ? graph : *broken->whole();
}

std::vector<std::string> broken_in(const Topology& graph) {
    const BrokenTopology* broken = as_broken(graph);
    return broken == nullptr ? std::vector<std::string>() : names_of(broken->broken(), *broken->whole());
}

bool lacks_node_0(const Topology& graph) {
    const BrokenTopology* broken = as_broken(graph);
    return broken != nullptr && broken->broken().has(0);
}

bool has_names(const Topology& graph) {
    const BrokenTopology* broken = as_broken(graph);
    if (broken != nullptr && !broken->keeps_numbers()) return true;
    const Topology& whole = whole_of(graph);
    if (dynamic_cast<const StoredGraph*>(&whole) == nullptr || whole.family() != "file") return false;
    for (NodeId v = 0; v < whole.nodes(); ++v)
        if (!whole.label(v).empty()) return true;
    return false;
}

}  // namespace kport
