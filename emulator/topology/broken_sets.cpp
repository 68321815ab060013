#include "emulator/topology/broken_sets.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/random.hpp"

namespace kport {
namespace {

/// Returns the number of choices of k of n things; nothing where counting them exceeds 64 bits.
std::optional<std::uint64_t> choices(std::uint64_t n, std::uint64_t k) {
    k = std::min(k, n - k);
    std::uint64_t count = 1;
    for (std::uint64_t i = 1; i <= k; ++i) {
        if (count > std::numeric_limits<std::uint64_t>::max() / (n - k + i)) return std::nullopt;
        count = count * (n - k + i) / i;
    }
    return count;
}

/// Calls visit(chosen) for all ascending choices of k of the numbers from `first` to `last` - 1, in lexicographic order.
template <class Visit>
void for_each_choice(std::uint32_t first, std::uint32_t last, unsigned k, const Visit& visit) {
    std::vector<std::uint32_t> chosen(k);
    std::iota(chosen.begin(), chosen.end(), first);
    while (true) {
        visit(chosen);
        unsigned i = k;
        while (i > 0 && chosen[i - 1] == last - (k - i) - 1) --i;
        if (i == 0) return;
        std::iota(chosen.begin() + (i - 1), chosen.end(), chosen[i - 1] + 1);
    }
}

void require_enough(std::string_view what, std::size_t there, unsigned wanted, const Topology& graph,
                    std::string_view spared) {
    if (wanted > there)
        throw RequestError(fmt::format("sets of {}: {} has {}{}", counted(wanted, fmt::format("broken {}", what)),
                                       graph.spec(), counted(there, what), spared));
}

}  // namespace

BrokenSets::BrokenSets(const Topology& graph, unsigned links, unsigned nodes, NodeId spared)
    : spared_(spared), broken_links_(links), broken_nodes_(nodes) {
    constexpr std::uint64_t parts_max = std::uint64_t{1} << 31;
    if (graph.nodes() > parts_max || graph.channels() / 2 > parts_max - graph.nodes())
        throw DoesNotFit(fmt::format("{} has {} links and {} nodes; sets are made of fewer than 2^31 parts",
                                     graph.spec(), graph.channels() / 2, graph.nodes()));
    for_each_link(graph, [&](NodeId v, NodeId w) { links_.emplace_back(v, w); });
    std::ranges::sort(links_);
    for (NodeId v = 0; v < graph.nodes(); ++v)
        if (v != spared) nodes_.push_back(v);
    require_enough("link", links_.size(), links, graph, "");
    require_enough("node", nodes_.size(), nodes, graph, spared == no_node ? "" : " besides the source");
    if (nodes == graph.nodes())
        throw RequestError(fmt::format("sets of {} broken nodes: no node of {} would be left", nodes, graph.spec()));
}

std::optional<std::uint64_t> BrokenSets::count() const {
    const auto of_links = choices(links_.size(), broken_links_);
    const auto of_nodes = choices(nodes_.size(), broken_nodes_);
    if (!of_links || !of_nodes || *of_nodes > std::numeric_limits<std::uint64_t>::max() / *of_links)
        return std::nullopt;
    return *of_links * *of_nodes;
}

std::vector<BrokenSets::Set> BrokenSets::all() const {
    const auto of_links = static_cast<std::uint32_t>(links_.size());
    const auto all_parts = static_cast<std::uint32_t>(links_.size() + nodes_.size());
    std::vector<Set> sets;
    for_each_choice(0, of_links, broken_links_, [&](const Set& some_links) {
        for_each_choice(of_links, all_parts, broken_nodes_, [&](const Set& some_nodes) {
            sets.push_back(some_links);
            sets.back().insert(sets.back().end(), some_nodes.begin(), some_nodes.end());
        });
    });
    return sets;
}

std::vector<BrokenSets::Set> BrokenSets::sample(std::uint64_t most, std::uint64_t seed) const {
    constexpr std::uint64_t draws_each = 16;
    Dice dice(seed);
    const auto draw = [&](std::size_t first, std::size_t count, unsigned k, Set& into) {
        std::set<std::uint32_t> chosen;
        while (chosen.size() < k) chosen.insert(static_cast<std::uint32_t>(first + dice.below(count)));
        into.insert(into.end(), chosen.begin(), chosen.end());
    };
    std::set<Set> sets;
    for (std::uint64_t draws = 0; sets.size() < most && draws < draws_each * most; ++draws) {
        Set set;
        draw(0, links_.size(), broken_links_, set);
        draw(links_.size(), nodes_.size(), broken_nodes_, set);
        sets.insert(std::move(set));
    }
    return {sets.begin(), sets.end()};
}

BrokenParts BrokenSets::parts(const Set& set) const {
    BrokenParts parts;
    for (const std::uint32_t part : set)
        if (part < links_.size())
            parts.links.push_back(links_[part]);
        else
            parts.nodes.push_back(nodes_[part - links_.size()]);
    return parts;
}

std::uint32_t BrokenSets::link(NodeId v, NodeId w) const {
    const auto at = std::ranges::lower_bound(links_, BrokenParts::Link(std::minmax(v, w)));
    return static_cast<std::uint32_t>(at - links_.begin());
}

BrokenSets::Set BrokenSets::image(const Set& set, std::span<const std::uint32_t> image) const {
    Set found;
    for (const std::uint32_t part : set)
        if (part < links_.size()) {
            found.push_back(link(image[links_[part].first], image[links_[part].second]));
        } else {
            const NodeId v = image[nodes_[part - links_.size()]];
            const NodeId before = v > spared_ ? 1 : 0;  // no_node is larger than all
            found.push_back(static_cast<std::uint32_t>(links_.size() + v - before));
        }
    std::ranges::sort(found);
    return found;
}

}  // namespace kport
