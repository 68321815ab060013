#include "emulator/topology/broken.hpp"

#include <iterator>
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
#include "emulator/base/random.hpp"
#include "emulator/topology/broken_fabric.hpp"
#include "emulator/topology/members.hpp"
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
        std::ranges::sort(parts_.thinned, {}, &BrokenParts::Thinned::link);
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
        // "A--B*1" is one link of a trunk.
        const bool was_quoted = text_[at_ - 1] == '"';
        const std::size_t star = was_quoted ? std::string::npos : to.rfind('*');
        if (with_factors_ && (star != std::string::npos || taken("*")))
            refuse("all links of a trunk have one price; want A--B=F");
        const std::string count = star == std::string::npos ? taken("*") ? name() : "" : to.substr(star + 1);
        if (star != std::string::npos) to.resize(star);
        const NodeId a = node(from);
        const NodeId b = node(to);
        if (a == b) refuse(fmt::format("a link joins two nodes, and node {} is one", graph_.name(a)));
        if (graph_.port_to(a, b) == no_port)
            refuse(fmt::format("{} has no link between node {} and node {}{}", graph_.spec(), graph_.name(a),
                               graph_.name(b), links_of(a)));
        const BrokenParts::Link link(std::minmax(a, b));
        const std::uint64_t there = graph_.capacity(a, graph_.port_to(a, b));
        const std::uint64_t lost = count.empty() ? there : to_count(count).value_or(0);
        if (lost == 0 || lost > there)
            refuse(fmt::format("{} links between node {} and node {} where {}", quoted(count), graph_.name(a),
                               graph_.name(b), there == 1 ? "there is one" : fmt::format("there are {}", there)));
        if (std::ranges::find(parts_.links, link) != parts_.links.end() ||
            std::ranges::find(parts_.thinned, link, &BrokenParts::Thinned::link) != parts_.thinned.end())
            refuse(fmt::format("the link between node {} and node {} is named twice", graph_.name(link.first),
                               graph_.name(link.second)));
        if (lost < there)
            parts_.thinned.push_back({link, lost});
        else
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

/// Adds lost links of a trunk to those that it has lost already.
void add_thinned(BrokenParts& parts, const BrokenParts::Link& link, std::uint64_t lost) {
    const auto known = std::ranges::find(parts.thinned, link, &BrokenParts::Thinned::link);
    if (known == parts.thinned.end())
        parts.thinned.push_back({link, lost});
    else
        known->lost += lost;
}

}  // namespace

BrokenParts broken_parts(const Topology& graph, std::string_view text, std::string_view where) {
    return PartsReader(graph.wires(), text, where).read();
}

std::vector<SlowPart> slow_parts(const Topology& graph, std::string_view text, std::string_view where) {
    return PartsReader(graph.wires(), text, where, true).read_slow();
}

std::vector<std::string> names_of(const BrokenParts& parts, const Topology& hosts) {
    const Topology& graph = hosts.wires();
    const bool by_name = has_names(hosts);
    const auto name = [&](const BrokenParts::Link& link) {
        return fmt::format("{}--{}", typed_name(graph, link.first, by_name), typed_name(graph, link.second, by_name));
    };
    std::vector<std::string> names;
    for (const BrokenParts::Link& link : parts.links) names.push_back(name(link));
    for (const BrokenParts::Thinned& trunk : parts.thinned)
        names.push_back(fmt::format("{}*{}", name(trunk.link), trunk.lost));
    for (const NodeId v : parts.nodes) names.push_back(typed_name(graph, v, by_name));
    return names;
}

// ------------------------------------------------------------------------------------------------------ what is left

Remains::Remains(std::shared_ptr<const Topology> whole, BrokenParts parts, std::vector<NodeId> cut_off)
    : whole_(std::move(whole)), broken_(std::move(parts)), cut_off_(std::move(cut_off)),
      has_names_(has_names(*whole_)) {
    std::ranges::set_union(broken_.nodes, cut_off_, std::back_inserter(gone_));
}

NodeId Remains::old(NodeId v) const {
    if (gone_.empty()) return v;
    // The i-th node that is gone stands behind gone_[i] - i nodes that are left.
    std::size_t below = 0;
    for (std::size_t count = gone_.size(); count > 0;) {
        const std::size_t half = count / 2;
        if (gone_[below + half] - (below + half) <= v) {
            below += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return v + below;
}

NodeId Remains::left(NodeId old) const {
    const auto at = std::ranges::lower_bound(gone_, old);
    if (at != gone_.end() && *at == old) return no_node;
    return old - static_cast<NodeId>(at - gone_.begin());
}

std::string Remains::label_left(NodeId v) const {
    const NodeId was = old(v);
    std::string label = whole_->wires().label(was);
    if (keeps_numbers() || (!label.empty() && has_names_)) return label;
    return was == v ? std::string() : std::to_string(was);
}

NodeId Remains::node_left(std::string_view text, const std::string& spec) const {
    const Topology& graph = whole_->wires();
    const NodeId was = graph.node(text);
    const NodeId v = left(was);
    if (v == no_node)
        throw RequestError(fmt::format("source {}: node {} is {} on {}; want another", quoted(text), graph.name(was),
                                       broken_.has(was) ? "broken" : "cut off", spec));
    return v;
}

BrokenTopology::BrokenTopology(std::shared_ptr<const Topology> whole, BrokenParts parts)
    : Topology(spec_of_broken(parts, *whole), whole->nodes() - parts.nodes.size(), whole->ports()),
      Remains(std::move(whole), std::move(parts)), whole_(*this->whole()) {
    lose_links();
    require_connected();
}

void BrokenTopology::lose_links() {
    std::vector<std::pair<NodeId, Port>> lost;
    const auto lose = [&](NodeId v) {
        ++lost_channels_;
        if (!broken().has(v)) lost.emplace_back(left(v), 1);
    };
    for (const auto& [a, b] : broken().links) {
        near_ |= std::uint64_t{1} << (a % 64) | std::uint64_t{1} << (b % 64);
        if (broken().has(a) || broken().has(b)) continue;  // lost with its node
        lose(a);
        lose(b);
    }
    for (const NodeId v : broken().nodes)
        for_each_neighbour(whole_, v, [&](NodeId w) {
            ++lost_channels_;  // away from v; that towards it here or with w
            if (!broken().has(w)) lose(w);
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
                                     whole_.name(old(parted->first)), whole_.name(old(parted->second)), whole_.spec(),
                                     fmt::join(names_of(broken(), whole_), ", ")));
}

bool BrokenTopology::is_dead(NodeId old, NodeId other) const {
    return (near_ >> (old % 64) & 1) != 0 && broken().has(old, other);
}

LinkEnd BrokenTopology::across(NodeId v, Port p) const {
    const NodeId from = old(v);
    LinkEnd end = whole_.across(from, p);
    if (end.node == no_node || is_dead(from, end.node)) return {};
    end.node = left(end.node);
    return end.node == no_node ? LinkEnd{} : end;
}

Port BrokenTopology::port_to(NodeId v, NodeId w) const {
    return is_dead(old(v), old(w)) ? no_port : whole_.port_to(old(v), old(w));
}

Port BrokenTopology::degree(NodeId v) const {
    const auto at = std::ranges::lower_bound(lost_, v, {}, &std::pair<NodeId, Port>::first);
    const Port lost = at != lost_.end() && at->first == v ? at->second : 0;
    return whole_.degree(old(v)) - lost;
}

Port BrokenTopology::max_degree() const {
    // Most graphs have many nodes of the largest degree, and few of them have lost a link.
    constexpr std::uint64_t tries = 256;
    const Port most = whole_.max_degree();
    for (std::uint64_t i = 0; i < tries; ++i)
        if (degree(mixed(i) % nodes()) == most) return most;
    return Topology::max_degree();
}

std::uint64_t BrokenTopology::channels() const { return whole_.channels() - lost_channels_; }

std::string BrokenTopology::own_label(NodeId v) const { return label_left(v); }

NodeId BrokenTopology::own_node(std::string_view text) const {
    return text.starts_with('=') ? Topology::own_node(text) : node_left(text, spec());
}

std::shared_ptr<const Topology> without(const std::shared_ptr<const Topology>& graph, const BrokenParts& parts,
                                        std::string_view where) {
    if (parts.empty()) return graph;
    const auto hosts = static_cast<NodeId>(std::ranges::lower_bound(parts.nodes, graph->nodes()) - parts.nodes.begin());
    if (hosts == graph->nodes())
        throw RequestError(fmt::format("{}: all {} of {} are broken; want one left", where,
                                       graph->fabric() == nullptr ? "nodes" : "hosts", graph->spec()));
    const Remains* before = as_broken(*graph);
    BrokenParts all = before == nullptr ? BrokenParts() : before->broken();
    const auto old = [&](NodeId v) { return before == nullptr ? v : before->old(v); };
    for (const auto& [a, b] : parts.links) all.links.emplace_back(old(a), old(b));
    for (const NodeId v : parts.nodes) all.nodes.push_back(old(v));
    for (const auto& [link, lost] : parts.thinned) add_thinned(all, {old(link.first), old(link.second)}, lost);
    std::erase_if(all.thinned, [&](const BrokenParts::Thinned& trunk) {
        return std::ranges::find(all.links, trunk.link) != all.links.end();
    });
    std::ranges::sort(all.links);
    std::ranges::sort(all.nodes);
    std::ranges::sort(all.thinned, {}, &BrokenParts::Thinned::link);
    const std::shared_ptr<const Topology>& whole = before == nullptr ? graph : before->whole();
    if (whole->fabric() != nullptr) return hosts_of(BrokenFabric::of(whole, all, spec_of_broken(all, *whole)));
    return std::make_shared<const BrokenTopology>(whole, std::move(all));
}

const Remains* as_broken(const Topology& graph) {
    if (const auto* remains = dynamic_cast<const Remains*>(&graph)) return remains;
    return dynamic_cast<const Remains*>(graph.fabric());
}

const Topology& whole_of(const Topology& graph) {
    const Topology& named = named_machine(graph);
    const Remains* broken = as_broken(named);
    return broken == nullptr ? named : *broken->whole();
}

std::vector<std::string> broken_in(const Topology& graph) {
    const Remains* broken = as_broken(named_machine(graph));
    return broken == nullptr ? std::vector<std::string>() : names_of(broken->broken(), *broken->whole());
}

bool lacks_node_0(const Topology& graph) {
    const Remains* broken = as_broken(graph);
    return broken != nullptr && broken->broken().has(0);
}

bool has_names(const Topology& graph) {
    const Remains* broken = as_broken(graph);
    if (broken != nullptr && !broken->keeps_numbers()) return true;
    const Topology& whole = whole_of(graph).wires();
    const bool is_stored =
        dynamic_cast<const StoredGraph*>(&whole) != nullptr || dynamic_cast<const StoredFabric*>(&whole) != nullptr;
    if (!is_stored || whole.family() != "file") return false;
    for (NodeId v = 0; v < whole.nodes(); ++v)
        if (!whole.label(v).empty()) return true;
    return false;
}

}  // namespace kport
