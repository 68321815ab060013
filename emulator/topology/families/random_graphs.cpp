#include <algorithm>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"
#include "emulator/topology/families/drawn.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/stored_graph.hpp"

namespace kport {
namespace {

using Links = std::vector<StoredGraph::Link>;

constexpr Parameters::Wanted number_of_nodes{"number of nodes", 1, drawn_nodes_max};

Links draw_tree(SplitMix64& random, NodeId nodes) {
    Links links;
    for (NodeId v = 1; v < nodes; ++v)
        links.push_back({static_cast<std::uint32_t>(random.below(v)), static_cast<std::uint32_t>(v)});
    return links;
}

std::shared_ptr<const Topology> build_random_tree(const Parameters& given) {
    const auto [nodes, seed] = given.numbers({number_of_nodes, seed_wanted});
    require_room(given, static_cast<double>(nodes));
    SplitMix64 random(seed);
    return std::make_shared<const StoredGraph>(fmt::format("random-tree:{},{}", nodes, seed), nodes,
                                               draw_tree(random, nodes));
}

std::shared_ptr<const Topology> build_random_connected(const Parameters& given) {
    const auto [nodes, wanted, seed] =
        given.numbers({number_of_nodes, {"number of links", 0, NodeId{1} << 32}, seed_wanted});
    if (wanted + 1 < nodes)
        given.refuse(fmt::format("{}; want at least {} to connect {}", counted(wanted, "link"), nodes - 1,
                                 counted(nodes, "node")));
    if (wanted > nodes * (nodes - 1) / 2)
        given.refuse(fmt::format("{}; {} have at most {}", counted(wanted, "link"), counted(nodes, "node"),
                                 nodes * (nodes - 1) / 2));
    require_room(given, static_cast<double>(wanted));
    SplitMix64 random(seed);
    Links links = draw_tree(random, nodes);
    std::unordered_set<std::uint64_t> joined;
    const auto key = [](NodeId a, NodeId b) { return std::min(a, b) << 32 | std::max(a, b); };
    for (const auto& [a, b] : links) joined.insert(key(a, b));
    while (links.size() < wanted) {
        const NodeId a = random.below(nodes);
        const NodeId b = random.below(nodes);
        if (a != b && joined.insert(key(a, b)).second)
            links.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
    }
    return std::make_shared<const StoredGraph>(fmt::format("random-connected:{},{},{}", nodes, wanted, seed), nodes,
                                               links);
}

/// Steger and Wormald's method: stubs are joined in pairs at random, where allowed.
class RegularDrawing {
  public:
    RegularDrawing(NodeId nodes, std::uint64_t degree, std::uint64_t seed)
        : nodes_(nodes), degree_(degree), random_(seed), neighbours_(nodes) {}

    /// Returns how many links of nodes were examined so far.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }

    /// Returns nothing if the remaining stubs cannot be joined, or the graph is not connected: then draw again.
    [[nodiscard]] std::optional<Links> drawn() {
        stubs_.clear();
        for (NodeId v = 0; v < nodes_; ++v) stubs_.insert(stubs_.end(), degree_, static_cast<std::uint32_t>(v));
        for (auto& list : neighbours_) list.clear();
        constexpr int misses_max = 64;
        for (int misses = 0; !stubs_.empty();) {
            misses = try_to_join() ? 0 : misses + 1;
            if (misses < misses_max) continue;
            if (!any_can_be_joined()) return std::nullopt;
            misses = 0;
        }
        if (!connected()) return std::nullopt;
        Links links;
        for (NodeId v = 0; v < nodes_; ++v)
            for (const std::uint32_t w : neighbours_[v])
                if (v < w) links.push_back({static_cast<std::uint32_t>(v), w});
        return links;
    }

  private:
    bool try_to_join() {
        const std::uint64_t i = random_.below(stubs_.size());
        const std::uint64_t j = random_.below(stubs_.size());
        const std::uint32_t a = stubs_[i];
        const std::uint32_t b = stubs_[j];
        if (!can_be_joined(a, b)) return false;
        neighbours_[a].push_back(b);
        neighbours_[b].push_back(a);
        for (const std::uint64_t at : {std::max(i, j), std::min(i, j)}) {
            stubs_[at] = stubs_.back();
            stubs_.pop_back();
        }
        return true;
    }
    [[nodiscard]] bool can_be_joined(std::uint32_t a, std::uint32_t b) {
        looks_ += neighbours_[a].size();
        return a != b && std::ranges::find(neighbours_[a], b) == neighbours_[a].end();
    }
    [[nodiscard]] bool any_can_be_joined() {
        std::vector<std::uint32_t> left = stubs_;
        std::ranges::sort(left);
        left.erase(std::unique(left.begin(), left.end()), left.end());
        for (std::size_t i = 0; i < left.size(); ++i)
            for (std::size_t j = i + 1; j < left.size(); ++j)
                if (can_be_joined(left[i], left[j])) return true;
        return false;
    }
    [[nodiscard]] bool connected() const {
        std::vector<bool> seen(nodes_, false);
        std::vector<std::uint32_t> open{0};
        seen[0] = true;
        NodeId reached = 1;
        while (!open.empty()) {
            const std::uint32_t v = open.back();
            open.pop_back();
            for (const std::uint32_t w : neighbours_[v]) {
                if (seen[w]) continue;
                seen[w] = true;
                ++reached;
                open.push_back(w);
            }
        }
        return reached == nodes_;
    }

    NodeId nodes_;
    std::uint64_t degree_;
    SplitMix64 random_;
    std::uint64_t looks_ = 0;
    std::vector<std::uint32_t> stubs_;
    std::vector<std::vector<std::uint32_t>> neighbours_;
};

std::shared_ptr<const Topology> build_random_regular(const Parameters& given) {
    constexpr std::uint64_t stubs_max = std::uint64_t{1} << 30;  // in all drawings, some tens of seconds
    const auto [degree, nodes, seed] = given.numbers({{"degree", 1, drawn_nodes_max}, number_of_nodes, seed_wanted});
    if (degree >= nodes)
        given.refuse(fmt::format("degree {} of {}; want less than {}", degree, counted(nodes, "node"), nodes));
    if (degree * nodes % 2 == 1)
        given.refuse(fmt::format("{} of degree {}: one of both must be even", counted(nodes, "node"), degree));
    if (degree == 1 && nodes > 2) given.refuse("of degree 1 only 2 nodes are connected; want degree 2 or more");
    require_room(given, static_cast<double>(degree) * static_cast<double>(nodes) + static_cast<double>(nodes));
    constexpr std::uint64_t looks_most = std::uint64_t{1} << 33;   // in all drawings, some tens of seconds
    constexpr std::uint64_t looks_least = std::uint64_t{1} << 30;  // in all drawings, a second
    const double looks_of_one = static_cast<double>(degree) * static_cast<double>(degree * nodes) / 4;
    if (looks_of_one > 8.0 * static_cast<double>(looks_most))
        given.does_not_fit(
            fmt::format("to draw {} for each of {} nodes takes minutes", counted(degree, "link"), nodes));
    const std::uint64_t drawings_max = std::min<std::uint64_t>(1000, stubs_max / (degree * nodes) + 1);
    // Where a drawing is short and many fail, all would fail.
    const std::uint64_t looks_max =
        std::clamp(static_cast<std::uint64_t>(std::min(64 * looks_of_one, 0x1p62)), looks_least, looks_most);
    RegularDrawing drawing(nodes, degree, seed);
    std::uint64_t drawings = 0;
    for (; drawings < drawings_max && drawing.looks() <= looks_max; ++drawings)
        if (const std::optional<Links> links = drawing.drawn())
            return std::make_shared<const StoredGraph>(fmt::format("random-regular:{},{},{}", degree, nodes, seed),
                                                       nodes, *links);
    given.does_not_fit(
        fmt::format("none of {} graphs that were drawn came to be connected, with {} a node; of {} nearly all fail "
                    "where the degree is near 2 or {}",
                    drawings, counted(degree, "link"), counted(nodes, "node"), nodes));
}

}  // namespace

std::vector<TopologyFamily> families_in_random_graphs() {
    return {{.name = "random-tree",
             .form = "random-tree:N,SEED",
             .about = "a tree at random: the parent of v is any node before it",
             .build = build_random_tree,
             .members =
                 [](NodeId nodes) {
                     return std::vector{fmt::format("{},1", nodes), fmt::format("{},2", nodes)};
                 },
             .drawn = DrawnAs::levels},
            {.name = "random-connected",
             .form = "random-connected:N,M,SEED",
             .about = "a connected graph of M links at random: a tree and links between any two nodes",
             .build = build_random_connected,
             .members =
                 [](NodeId nodes) {
                     const NodeId links = std::min(2 * nodes, nodes * (nodes - 1) / 2);
                     return std::vector{fmt::format("{},{},1", nodes, links), fmt::format("{},{},2", nodes, links)};
                 },
             .also = {"random"}},
            {.name = "random-regular",
             .form = "random-regular:D,N,SEED",
             .about = "a connected graph at random in which each node has D links, D N even",
             .build = build_random_regular,
             .members = [](NodeId nodes) {
                 std::vector<std::string> found;
                 for (std::uint64_t degree = 2; degree < nodes && degree <= 4; ++degree)
                     if (degree * nodes % 2 == 0) found.push_back(fmt::format("{},{},1", degree, nodes));
                 return found;
             }}};
}

}  // namespace kport
