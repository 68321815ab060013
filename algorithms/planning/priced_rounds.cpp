#include "algorithms/planning/heuristics.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "emulator/base/random.hpp"

namespace kport::planning {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
using Informed = std::vector<bool>;

struct PricedLink {
    Node32 to;
    double price;  ///< of a message over it
};

/// A set of informed nodes, and how it came about.
struct Stand {
    Informed informed;
    double spent = 0;     ///< latency so far
    double promised = 0;  ///< no schedule from here on has less
    Calls calls = {};     ///< of the last round
    std::shared_ptr<const Stand> before = nullptr;
};
using StandPointer = std::shared_ptr<const Stand>;

class PricedPlanner {
  public:
    PricedPlanner(const Machine& machine, std::uint64_t bytes)
        : nodes_(static_cast<Node32>(machine.topology->nodes())), links_(nodes_), dice_(nodes_) {
        const Topology& graph = *machine.topology;
        for (Node32 v = 0; v < nodes_; ++v) {
            for_each_neighbour(graph, v, [&](NodeId w, Port port) {
                links_[v].push_back(
                    {static_cast<Node32>(w), machine.costs.latency(machine.prices->of(v, port), bytes)});
                prices_.push_back(links_[v].back().price);
            });
            sends_.push_back(machine.pairwise ? std::min<Port>(1, machine.sends_of(v)) : machine.sends_of(v));
            most_sends_ = std::max(most_sends_, sends_.back());
        }
        channels_ = prices_.size();
        choose_prices();
        constexpr double looks_a_round = 1 << 21;
        constexpr double looks_of_orders = 1 << 12;
        const auto size = static_cast<double>(nodes_ + channels_);
        orders_ = static_cast<std::size_t>(std::clamp(looks_of_orders / size, 3.0, 32.0));
        const double looks = static_cast<double>(prices_.size() * orders_) * size;
        beam_ = static_cast<std::size_t>(std::clamp(looks_a_round / looks, 4.0, 128.0));
    }

    Calls plan(std::span<const Node32> sources) {
        auto first = std::make_shared<Stand>();
        first->informed.assign(nodes_, false);
        for (const Node32 v : sources) first->informed[v] = true;
        std::vector<StandPointer> stands{first};
        StandPointer best;
        while (!stands.empty()) {
            std::map<Informed, StandPointer> next;
            for (const StandPointer& stand : stands)
                for (StandPointer& one : rounds_from(stand)) {
                    if (best != nullptr && one->promised >= best->spent) continue;
                    if (std::ranges::find(one->informed, false) == one->informed.end()) {
                        best = one;
                        continue;
                    }
                    StandPointer& known = next[one->informed];
                    if (known == nullptr || one->spent < known->spent) known = std::move(one);
                }
            stands.clear();
            for (auto& [informed, stand] : next) stands.push_back(std::move(stand));
            std::ranges::stable_sort(stands, {}, [](const StandPointer& stand) { return stand->promised; });
            if (stands.size() > beam_) stands.resize(beam_);
        }
        return calls_to(best);
    }

  private:
    /// The distinct prices; of very many some, the highest included.
    void choose_prices() {
        constexpr std::size_t prices_max = 12;
        std::ranges::sort(prices_);
        const auto same = [](double a, double b) { return b <= a * (1 + 1e-12); };
        prices_.erase(std::unique(prices_.begin(), prices_.end(), same), prices_.end());
        if (prices_.size() <= prices_max) return;
        std::vector<double> some;
        for (std::size_t i = 1; i <= prices_max; ++i) some.push_back(prices_[i * prices_.size() / prices_max - 1]);
        prices_ = std::move(some);
    }

    static Calls calls_to(StandPointer stand) {
        std::vector<Calls> rounds;
        for (; stand != nullptr && stand->before != nullptr; stand = stand->before) rounds.push_back(stand->calls);
        Calls all;
        for (std::size_t i = rounds.size(); i-- > 0;)
            for (Call call : rounds[i]) {
                call.round = static_cast<Round>(rounds.size() - i);
                all.push_back(call);
            }
        return all;
    }

    /// The cheapest ways from the informed nodes.
    struct Ways {
        std::vector<double> price;    ///< of the way to each node
        std::vector<double> onwards;  ///< of the dearest way on from each node
    };
    [[nodiscard]] Ways ways_from(const Informed& informed) const {
        Ways ways{std::vector<double>(nodes_, never), std::vector<double>(nodes_, 0)};
        std::vector<Node32> before(nodes_, no_node32);
        std::vector<Node32> order;
        using Entry = std::pair<double, Node32>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
        for (Node32 v = 0; v < nodes_; ++v)
            if (informed[v]) open.emplace(ways.price[v] = 0, v);
        while (!open.empty()) {
            const auto [price, v] = open.top();
            open.pop();
            if (price > ways.price[v]) continue;
            order.push_back(v);
            for (const PricedLink& link : links_[v])
                if (price + link.price < ways.price[link.to]) {
                    open.emplace(ways.price[link.to] = price + link.price, link.to);
                    before[link.to] = v;
                }
        }
        for (auto v = order.rbegin(); v != order.rend(); ++v)
            if (before[*v] != no_node32)
                ways.onwards[before[*v]] =
                    std::max(ways.onwards[before[*v]], ways.price[*v] - ways.price[before[*v]] + ways.onwards[*v]);
        return ways;
    }

    /// The latency that is still needed at least: the dearest way, and rounds of the lowest price.
    [[nodiscard]] double least_from(const Informed& informed) const {
        const Ways ways = ways_from(informed);
        double least = 0;
        std::uint64_t count = 0;
        for (Node32 v = 0; v < nodes_; ++v)
            if (informed[v])
                ++count;
            else
                least = std::max(least, ways.price[v]);
        double rounds = 0;
        for (; count < nodes_; count += count * std::max<Port>(1, most_sends_)) ++rounds;
        return std::max(least, rounds * prices_.front());
    }

    std::vector<StandPointer> rounds_from(const StandPointer& stand) {
        const Ways ways = ways_from(stand->informed);
        std::vector<Node32> others;
        for (Node32 v = 0; v < nodes_; ++v)
            if (!stand->informed[v]) others.push_back(v);
        std::vector<StandPointer> rounds;
        for (std::size_t order = 0; order < orders_; ++order) {
            if (order > 0) dice_.shuffle(others);
            if (order < 2)
                std::ranges::stable_sort(others, std::ranges::greater(), [&](Node32 v) { return ways.onwards[v]; });
            Calls before;
            for (const double most : prices_) {
                const Calls calls = largest_round(stand->informed, others, most);
                if (calls == before) continue;  // dearer links give nothing else
                rounds.push_back(after(stand, calls));
                before = calls;
            }
        }
        return rounds;
    }

    [[nodiscard]] StandPointer after(const StandPointer& stand, Calls calls) const {
        auto next = std::make_shared<Stand>();
        next->informed = stand->informed;
        double dearest = 0;
        for (const Call& call : calls) {
            next->informed[call.to] = true;
            const auto link = std::ranges::find(links_[call.from], call.to, &PricedLink::to);
            dearest = std::max(dearest, link->price);
        }
        next->spent = stand->spent + dearest;
        next->promised = next->spent + least_from(next->informed);
        next->calls = std::move(calls);
        next->before = stand;
        return next;
    }

    /// A largest round over links of at most a price; receivers are served in this order, as far as ports allow.
    [[nodiscard]] Calls largest_round(const Informed& informed, const std::vector<Node32>& others, double most) const {
        std::vector<std::vector<Node32>> pupils(nodes_);
        std::vector<bool> seen;
        const auto serve = [&](const auto& self, Node32 v) -> bool {
            for (const PricedLink& link : links_[v]) {  // prices are those of both directions
                const Node32 u = link.to;
                if (!informed[u] || link.price > most * (1 + 1e-12) || seen[u]) continue;
                seen[u] = true;
                if (pupils[u].size() < sends_[u]) {
                    pupils[u].push_back(v);
                    return true;
                }
                for (Node32& pupil : pupils[u])
                    if (self(self, pupil)) {
                        pupil = v;
                        return true;
                    }
            }
            return false;
        };
        for (const Node32 v : others) {
            seen.assign(nodes_, false);
            (void)serve(serve, v);
        }
        Calls calls;
        for (Node32 u = 0; u < nodes_; ++u)
            for (const Node32 v : pupils[u]) calls.push_back({0, u, v});
        return calls;
    }

    Node32 nodes_;
    std::vector<std::vector<PricedLink>> links_;  ///< by node
    std::vector<double> prices_;                  ///< of links, ascending
    std::vector<Port> sends_;
    Port most_sends_ = 0;
    std::size_t channels_ = 0;
    std::size_t orders_ = 1;  ///< in which receivers are served, for each set
    std::size_t beam_ = 1;    ///< sets kept after a round
    Dice dice_;
};

}  // namespace

bool plans_by_prices(const Machine& machine) {
    constexpr std::uint64_t nodes_most = 512;
    const Topology& graph = *machine.topology;
    return machine.prices != nullptr && machine.prices->known() && graph.fabric() == nullptr &&
           graph.nodes() <= nodes_most && graph.channels() <= 8 * nodes_most;
}

Calls plan_by_prices(const Machine& machine, std::span<const Node32> sources, std::uint64_t bytes) {
    return PricedPlanner(machine, bytes).plan(sources);
}

}  // namespace kport::planning
