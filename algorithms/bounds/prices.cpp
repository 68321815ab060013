#include "algorithms/bounds/arguments.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/bounds/judge.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::bounds {
namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();
constexpr std::uint64_t priced_messages_max = std::uint64_t{1} << 17;
constexpr std::uint64_t priced_steps_max = std::uint64_t{1} << 22;
constexpr std::uint64_t route_steps_max = std::uint64_t{1} << 24;

/// Nodes that a search has found, by the sum to each.
using SearchFront =
    std::priority_queue<std::pair<double, NodeId>, std::vector<std::pair<double, NodeId>>, std::greater<>>;

/// The messages of one packet between hosts, and the least that each costs over any route of the switching mode.
class PricedMessages {
  public:
    struct Message {
        std::uint32_t a;
        std::uint32_t b;
        double cost;
    };

    PricedMessages() = default;
    PricedMessages(NodeId hosts, std::vector<Message> messages) : hosts_(hosts), messages_(std::move(messages)) {
        std::ranges::stable_sort(messages_, {}, &Message::cost);
        first_.assign(hosts_ + 1, 0);
        for (const Message& message : messages_) {
            ++first_[message.a];
            ++first_[message.b];
        }
        std::exclusive_scan(first_.begin(), first_.end(), first_.begin(), std::size_t{0});
        of_host_.resize(2 * messages_.size());
        std::vector<std::size_t> next(first_);
        for (std::uint32_t i = 0; i < messages_.size(); ++i)
            for (const std::uint32_t v : {messages_[i].a, messages_[i].b}) of_host_[next[v]++] = i;
    }

    /// False where the machine is too large for them.
    [[nodiscard]] bool known() const { return !messages_.empty(); }
    [[nodiscard]] NodeId hosts() const { return hosts_; }
    /// Ascending by cost.
    [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }

    /// Returns the least sum of weights over a relay of messages from a host to each host (Dijkstra's algorithm).
    template <class Weight>
    [[nodiscard]] std::vector<double> least_sums(NodeId from, const Weight& weight) const {
        std::vector<double> sums(hosts_, unreachable);
        SearchFront open;
        sums[from] = 0;
        open.emplace(0, from);
        while (!open.empty()) {
            const auto [sum, v] = open.top();
            open.pop();
            if (sum > sums[v]) continue;
            for (std::size_t i = first_[v]; i < first_[v + 1]; ++i) {
                const Message& message = messages_[of_host_[i]];
                const NodeId w = message.a == v ? message.b : message.a;
                const double there = sum + weight(message);
                if (there >= sums[w]) continue;
                sums[w] = there;
                open.emplace(there, w);
            }
        }
        return sums;
    }

  private:
    NodeId hosts_ = 0;
    std::vector<Message> messages_;
    std::vector<std::size_t> first_;
    std::vector<std::uint32_t> of_host_;  ///< messages by host: those of v begin at first_[v]
};

/// Finds the least costs of messages.
class MessageSearch {
  public:
    explicit MessageSearch(const Facts& facts)
        : machine_(facts.machine), wires_(facts.graph.wires()), prices_(*facts.machine.prices), hosts_(facts.nodes),
          packet_bytes_(facts.packet_bytes) {}

    [[nodiscard]] PricedMessages all() {
        const bool of_links = !machine_.has_paths();
        const std::uint64_t most = of_links ? wires_.channels() / 2 : hosts_ * (hosts_ - 1) / 2;
        if (hosts_ > priced_messages_max || most > priced_messages_max || wires_.channels() > walked_channels_max)
            return {};
        if (of_links)
            for_each_link(wires_, [&](NodeId a, NodeId b) { add(a, b, cost(prices_.of(a, wires_.port_to(a, b)))); });
        else
            search_routes();
        return {hosts_, std::move(messages_)};
    }

  private:
    [[nodiscard]] double cost(const LinkPrice& path) const { return machine_.costs.latency(path, packet_bytes_); }
    void add(NodeId a, NodeId b, double cost) {
        messages_.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), cost});
    }

    /// The paces of links, where bytes cost anything.
    [[nodiscard]] std::vector<double> paces_of_links() const {
        std::vector<double> paces;
        if (machine_.costs.byte * static_cast<double>(packet_bytes_) == 0) return paces;
        for (NodeId v = 0; v < wires_.nodes(); ++v)
            for_each_neighbour(wires_, v, [&](NodeId, Port port) { paces.push_back(prices_.of(v, port).byte); });
        std::ranges::sort(paces);
        paces.erase(std::ranges::unique(paces).begin(), paces.end());
        return paces;
    }

    /// The cheapest route between two hosts: for each pace, the shortest over links of at most that pace. Where that takes too many
    /// searches, the shortest route and the best pace count, which may be of different routes and so are no more.
    void search_routes() {
        const std::uint64_t search = hosts_ * (wires_.channels() + wires_.nodes());
        if (search > route_steps_max) return;
        const std::vector<double> paces = paces_of_links();
        const bool is_exact = paces.size() <= route_steps_max / search;
        for (NodeId from = 0; from < hosts_; ++from) {
            std::vector<double> least(hosts_, unreachable);
            const auto take = [&](const std::vector<double>& hops, const auto& pace_to) {
                for (NodeId v = 0; v < hosts_; ++v)
                    if (hops[v] < unreachable) least[v] = std::min(least[v], cost({hops[v], pace_to(v)}));
            };
            if (paces.empty()) {
                take(least_on_routes(from, unreachable, false), [](NodeId) { return 1.0; });
            } else if (!is_exact) {
                const std::vector<double> best = least_on_routes(from, unreachable, true);
                take(least_on_routes(from, unreachable, false), [&](NodeId v) { return best[v]; });
            } else {
                for (const double pace : paces) take(least_on_routes(from, pace, false), [&](NodeId) { return pace; });
            }
            for (NodeId to = from + 1; to < hosts_; ++to)
                if (least[to] < unreachable) add(from, to, least[to]);
        }
    }
    /// Returns the least sum of hops, or the least largest pace, of the routes of one message to each node, over links of at
    /// most `pace`.
    [[nodiscard]] std::vector<double> least_on_routes(NodeId from, double pace, bool of_pace) const {
        const bool passes_hosts = machine_.switching == Switching::wormhole;
        std::vector<double> least(wires_.nodes(), unreachable);
        SearchFront open;
        least[from] = 0;
        open.emplace(0, from);
        while (!open.empty()) {
            const auto [here, v] = open.top();
            open.pop();
            if (here > least[v] || (v != from && v < hosts_ && !passes_hosts)) continue;
            for_each_neighbour(wires_, v, [&, so_far = here, at = v](NodeId w, Port port) {
                const LinkPrice link = prices_.of(at, port);
                const double there = of_pace ? std::max(so_far, link.byte) : so_far + link.hop;
                if (link.byte > pace || there >= least[w]) return;
                least[w] = there;
                open.emplace(there, w);
            });
        }
        return least;
    }

    const Machine& machine_;
    const Topology& wires_;
    const LinkPrices& prices_;
    NodeId hosts_;
    std::uint64_t packet_bytes_;
    std::vector<PricedMessages::Message> messages_;
};

/// Returns the messages of a machine. The last few are kept: a choice asks for the bounds of one machine with many algorithms.
std::shared_ptr<const PricedMessages> priced_messages(const Facts& facts) {
    struct KeptMessages {
        std::weak_ptr<const LinkPrices> prices;
        std::weak_ptr<const Topology> graph;
        Costs costs;
        Switching switching;
        std::uint64_t packet_bytes;
        std::shared_ptr<const PricedMessages> messages;
    };
    constexpr std::size_t kept_max = 8;
    static std::mutex mutex;
    static std::deque<KeptMessages> all;
    const Machine& machine = facts.machine;
    const std::lock_guard lock(mutex);
    for (const KeptMessages& kept : all)
        if (kept.prices.lock() == machine.prices && kept.graph.lock() == machine.topology &&
            kept.costs == machine.costs && kept.switching == machine.switching &&
            kept.packet_bytes == facts.packet_bytes)
            return kept.messages;
    if (all.size() == kept_max) all.pop_front();
    all.push_back({machine.prices, machine.topology, machine.costs, machine.switching, facts.packet_bytes,
                   std::make_shared<const PricedMessages>(MessageSearch(facts).all())});
    return all.back().messages;
}

/// What a packet must do: come from one host to another, or from one to all, or from all to one.
struct PacketWay {
    NodeId from;
    NodeId to;  ///< no_node: all
};

/// The sets of hosts that messages of at most some cost join, while that cost grows (Kruskal's algorithm).
class PriceComponents {
  public:
    explicit PriceComponents(NodeId hosts) : parent_(hosts), count_(hosts) {
        std::iota(parent_.begin(), parent_.end(), 0U);
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint32_t of(std::uint32_t v) {
        while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
        return v;
    }
    bool join(std::uint32_t a, std::uint32_t b) {
        a = of(a);
        b = of(b);
        if (a == b) return false;
        parent_[std::max(a, b)] = std::min(a, b);
        --count_;
        return true;
    }

  private:
    std::vector<std::uint32_t> parent_;
    std::uint64_t count_;
};

/// The arguments by the prices of single messages.
class ByPrices {
  public:
    ByPrices(const Facts& facts, Count rounds)
        : facts_(facts), rounds_(rounds), kept_(priced_messages(facts)), messages_(*kept_) {
        if (messages_.known()) find_ways();
    }

    [[nodiscard]] bool known() const { return messages_.known() && !ways_.empty(); }

    /// The dearest relay: a packet crosses the messages of its way one after the other, and a round costs at least each of them.
    [[nodiscard]] Argument path() const {
        double dearest = 0;
        PacketWay longest = ways_.front();
        for (const PacketWay& way : ways_) {
            const std::vector<double> sums =
                messages_.least_sums(way.from, [](const PricedMessages::Message& message) { return message.cost; });
            for (NodeId v = 0; v < messages_.hosts(); ++v)
                if ((way.to == no_node || way.to == v) && sums[v] > dearest) {
                    dearest = sums[v];
                    longest = {way.from, v};
                }
        }
        return {fmt::format("cheapest way between nodes {} and {}", facts_.node(longest.from), facts_.node(longest.to)),
                dearest,
                "What one of them has and the other needs crosses messages one after the other, each in a round of its "
                "own that "
                "lasts at least as long as the message.",
                std::string(source)};
    }

    /// The integral of the number of rounds with a message dearer than x: a latency is the sum of its rounds' dearest messages.
    [[nodiscard]] Argument levels() const {
        std::vector<Level> levels = levels_of_prices();
        for (std::size_t i = levels.size(); i-- > 1;)
            levels[i - 1].rounds = std::max(levels[i - 1].rounds, levels[i].rounds);
        double sum = 0;
        double below = 0;
        std::vector<std::string> parts;
        for (const Level& level : levels) {
            sum += static_cast<double>(level.rounds) * (level.up_to - below);
            parts.push_back(fmt::format("{} * {:g}", level.rounds, level.up_to - below));
            below = level.up_to;
        }
        constexpr std::size_t shown = 4;
        if (parts.size() > shown) {
            parts.resize(shown);
            parts.emplace_back("...");
        }
        return {fmt::format("rounds by price: {}", fmt::join(parts, " + ")), sum,
                "A round with a message dearer than x counts for x: all rounds below the cheapest message; above, each "
                "set of nodes "
                "that cheaper messages join is entered by a dearer one.",
                std::string(source)};
    }

  private:
    static constexpr std::string_view source = "derived for kport (docs/model.md, prices of links)";

    /// So many rounds have a message dearer than each x up to this cost, from where the level before ends.
    struct Level {
        double up_to;
        Count rounds;
    };

    void find_ways() {
        const Operation& op = facts_.operation;
        const NodeId hosts = messages_.hosts();
        if (op.rooted()) ways_.push_back({facts_.root, no_node});
        for (NodeId v = 0; !op.rooted() && v < hosts; ++v) {
            if (op == Operation::permutation) {
                const NodeId to = facts_.permutation.target(v, hosts);
                if (to != v && to != no_node) ways_.push_back({v, to});
            } else if (facts_.neighbours != nullptr) {
                for (const NodeId w : facts_.neighbours->of(v))
                    if (v < w) ways_.push_back({v, w});
            } else {
                ways_.push_back({v, no_node});  // in a scan between any two nodes, one way or the other
            }
        }
        const std::uint64_t affordable =
            std::max<std::uint64_t>(priced_steps_max / (4 * messages_.messages().size()), 1);
        if (ways_.size() > affordable) ways_.resize(affordable);
    }

    [[nodiscard]] std::vector<Level> levels_of_prices() const {
        const std::vector<PricedMessages::Message>& all = messages_.messages();
        std::vector<Level> levels{{all.front().cost, rounds_}};
        PriceComponents components(messages_.hosts());
        std::vector<std::size_t> joins;  // the last message of each price that joins components
        for (std::size_t i = 0; i < all.size(); ++i)
            if (components.join(all[i].a, all[i].b)) {
                if (!joins.empty() && all[joins.back()].cost == all[i].cost) joins.pop_back();
                joins.push_back(i);
            }
        // Fewer rounds have a dearer message, so where steps are too many every n-th price serves those before it.
        const std::uint64_t steps = ways_.size() * 2 * all.size();
        const std::uint64_t each = (joins.size() * steps) / priced_steps_max + 1;
        components = PriceComponents(messages_.hosts());
        std::size_t next = 0;
        for (std::size_t i = 0; i + 1 < joins.size(); ++i) {
            for (; next <= joins[i]; ++next) components.join(all[next].a, all[next].b);
            const double up_to = all[joins[i + 1]].cost;
            levels.push_back({up_to, (joins.size() - 2 - i) % each == 0 ? rounds_between(components) : 0});
        }
        return levels;
    }

    /// Rounds with a message between different components, at least.
    [[nodiscard]] Count rounds_between(PriceComponents& components) const {
        std::vector<std::uint32_t> of(messages_.hosts());
        for (std::uint32_t v = 0; v < of.size(); ++v) of[v] = components.of(v);
        Count rounds = 0;
        for (const PacketWay& way : ways_) {
            const std::vector<double> apart = messages_.least_sums(
                way.from,
                [&](const PricedMessages::Message& message) { return of[message.a] == of[message.b] ? 0.0 : 1.0; });
            for (NodeId v = 0; v < messages_.hosts(); ++v)
                if ((way.to == no_node || way.to == v) && apart[v] < unreachable)
                    rounds = std::max(rounds, static_cast<Count>(apart[v]));
        }
        return std::max(rounds, fan_out_of(of));
    }

    /// Where the fan-out begins: with the component of a host, or with that which sends least, or most, where every one begins
    /// one, or some one does.
    enum class Begin : std::uint8_t { root, least, most };

    /// Rounds until every component is entered, if an entered one enters as many others a round as its hosts send messages; to a
    /// root the same with what they receive.
    [[nodiscard]] Count fan_out_of(const std::vector<std::uint32_t>& of) const {
        const Operation& op = facts_.operation;
        if (op == Operation::permutation || facts_.neighbours != nullptr) return 0;  // none must reach all
        const auto sends = [&](NodeId v) { return facts_.machine.sends_of(v); };
        const auto receives = [&](NodeId v) { return facts_.machine.receives_of(v); };
        if (op.rooted())
            return op.inwards() ? fan_out_from(of, Begin::root, receives) : fan_out_from(of, Begin::root, sends);
        const Begin begin = op->prefix != Prefix::no ? Begin::most : Begin::least;
        return std::max(fan_out_from(of, begin, sends), fan_out_from(of, begin, receives));
    }
    template <class PortsOf>
    [[nodiscard]] Count fan_out_from(const std::vector<std::uint32_t>& of, Begin begin, const PortsOf& ports_of) const {
        const bool one_partner = facts_.machine.pairwise && facts_.machine.switching == Switching::store_and_forward;
        std::vector<std::optional<std::uint64_t>> ports(of.size());  // of a component at its lowest host
        for (NodeId v = 0; v < of.size(); ++v) {
            const std::uint64_t own = ports_of(v);
            ports[of[v]] = ports[of[v]].value_or(0) + (one_partner ? std::min<std::uint64_t>(own, 1) : own);
        }
        std::vector<std::uint64_t> others;
        for (std::size_t c = 0; c < of.size(); ++c)
            if (ports[c] && (begin != Begin::root || of[facts_.root] != c)) others.push_back(*ports[c]);
        std::ranges::sort(others, std::greater());
        const auto first = begin == Begin::most ? others.begin() : others.end() - 1;
        const std::uint64_t of_first = begin == Begin::root ? *ports[of[facts_.root]] : *first;
        if (begin != Begin::root) others.erase(first);
        std::vector<std::uint64_t> sums{0};
        for (const std::uint64_t one : others) sums.push_back(sums.back() + one);
        Count rounds = 0;
        for (std::uint64_t entered = 1; entered <= others.size(); ++rounds) {
            const std::uint64_t more = of_first + sums[entered - 1];
            if (more == 0) break;
            entered += std::min<std::uint64_t>(more, others.size());
        }
        return rounds;
    }

    const Facts& facts_;
    Count rounds_;
    std::shared_ptr<const PricedMessages> kept_;
    const PricedMessages& messages_;
    std::vector<PacketWay> ways_;
};

}  // namespace

std::vector<Argument> priced_latency_arguments(const Facts& facts, const Derivation& found) {
    const LinkPrice& least = facts.machine.prices->least();
    std::vector<Argument> arguments = latency_arguments(facts, found, facts.machine.costs.times(least));
    for (Argument& argument : arguments)
        argument.name += fmt::format(" at the least prices, {:g} td and {:g} tm", least.hop, least.byte);
    if (facts.counts != nullptr) return arguments;  // in their order already: the prices are the same factors of all
    if (const ByPrices by_prices(facts, found.rounds.value()); by_prices.known()) {
        arguments.push_back(by_prices.path());
        arguments.push_back(by_prices.levels());
    }
    std::ranges::stable_sort(arguments, std::greater(), &Argument::value);
    return arguments;
}

}  // namespace kport::bounds
