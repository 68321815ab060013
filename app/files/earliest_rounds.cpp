#include "app/files/earliest_rounds.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <random>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <boost/container_hash/hash.hpp>

#include "app/files/rounds_bound.hpp"

namespace kport {

namespace {

/// Resources in use, by round: ports of nodes, channels, and the partner of each node on a pairwise machine.
class Occupation {
  public:
    explicit Occupation(const Machine& machine) : machine_(machine) {}

    /// Returns the first round from `round` on in which the message can go.
    [[nodiscard]] Round first_free(const LooseMessage& message, Round round) {
        for (;;) {
            const Round least =
                std::max(after_full(sends_full_, message.from, round), after_full(receives_full_, message.to, round));
            if (least == round && is_free(message, round)) return round;
            round = std::max(least, round + 1);
        }
    }

    void take(const LooseMessage& message, Round round) {
        Use& sender = uses_[{message.from, round}];
        Use& receiver = uses_[{message.to, round}];
        ++sender.sends;
        sender.partner = message.to;
        ++receiver.receives;
        receiver.partner = message.from;
        if (is_full(sender.sends, sender.receives, machine_.sends_of(message.from)))
            sends_full_[message.from][round] = round + 1;
        if (is_full(receiver.receives, receiver.sends, machine_.receives_of(message.to)))
            receives_full_[message.to][round] = round + 1;
        for_each_passage(message, machine_, [&](const Passage& passage) { ++passages_[{id(passage), round}]; });
    }

  private:
    using InRound = std::pair<std::uint64_t, Round>;
    struct Use {
        Port sends = 0;
        Port receives = 0;
        NodeId partner = no_node;
    };
    /// By node: a later round that may have room, for each full round, with path compression.
    using Full = std::unordered_map<NodeId, std::unordered_map<Round, Round>>;

    [[nodiscard]] static Round after_full(Full& full, NodeId v, Round round) {
        const auto of_node = full.find(v);
        if (of_node == full.end()) return round;
        Round end = round;
        for (auto next = of_node->second.find(end); next != of_node->second.end(); next = of_node->second.find(end))
            end = next->second;
        for (Round at = round; at < end;) at = std::exchange(of_node->second[at], end);
        return end;
    }

    [[nodiscard]] bool is_full(Port same, Port other, Port of_machine) const {
        const Port limit = machine_.pairwise ? 1 : of_machine;
        return std::uint64_t{same} + (machine_.duplex == Duplex::half ? other : 0) >= limit;
    }

    [[nodiscard]] bool is_free(const LooseMessage& message, Round round) const {
        const auto use_of = [&](NodeId v) {
            const auto found = uses_.find({v, round});
            return found == uses_.end() ? Use{} : found->second;
        };
        const Use sender = use_of(message.from);
        const Use receiver = use_of(message.to);
        if (is_full(sender.sends, sender.receives, machine_.sends_of(message.from)) ||
            is_full(receiver.receives, receiver.sends, machine_.receives_of(message.to)))
            return false;
        const auto talks_with_another = [](const Use& use, NodeId partner) {
            return use.partner != no_node && use.partner != partner;
        };
        if (machine_.pairwise && (talks_with_another(sender, message.to) || talks_with_another(receiver, message.from)))
            return false;
        bool free = true;
        for_each_passage(message, machine_, [&](const Passage& passage) {
            const auto taken = passages_.find({id(passage), round});
            free = free && (taken == passages_.end() || taken->second < passage.capacity);
        });
        return free;
    }

    /// Switches have the number behind their ports.
    [[nodiscard]] std::uint64_t id(const Passage& passage) const {
        const Port ports = machine_.topology->wires().ports();
        return passage.from * (ports + 1) + std::min(passage.port, ports);
    }

    const Machine& machine_;
    std::unordered_map<InRound, Use, boost::hash<InRound>> uses_;
    std::unordered_map<InRound, std::uint64_t, boost::hash<InRound>> passages_;  ///< messages on each
    Full sends_full_;
    Full receives_full_;
};

/// One pass of list scheduling: each round takes the ready messages by ascending rank.
class ListOfRounds {
  public:
    ListOfRounds(const RoundGraph& graph, const Machine& machine, const std::vector<std::uint64_t>& rank)
        : graph_(graph), occupation_(machine), rank_(rank), missing_(rank.size()), least_(rank.size(), 1) {
        for (std::uint32_t i = 0; i < rank.size(); ++i) {
            missing_[i] = graph.predecessors()[i].size();
            if (missing_[i] == 0) ready_.emplace(1, rank[i], i);
        }
    }

    std::vector<Round> run() {
        std::vector<Round> rounds(rank_.size(), 0);
        // beyond it waiting messages take the next free round
        std::uint64_t delays_left = 16 * std::uint64_t{rank_.size()};
        while (!ready_.empty()) {
            const auto [round, rank, i] = ready_.top();
            ready_.pop();
            rounds[i] = round;
            if (!graph_.messages()[i].is_point()) {
                rounds[i] = occupation_.first_free(graph_.messages()[i], round);
                if (rounds[i] != round && delays_left > 0) {
                    --delays_left;
                    ready_.emplace(rounds[i], rank, i);
                    continue;
                }
                occupation_.take(graph_.messages()[i], rounds[i]);
            }
            for (const RoundGraph::Edge& edge : graph_.followers()[i]) {
                least_[edge.to] = std::max(least_[edge.to], rounds[i] + static_cast<Round>(edge.lag));
                if (--missing_[edge.to] == 0) ready_.emplace(least_[edge.to], rank_[edge.to], edge.to);
            }
        }
        return rounds;
    }

  private:
    using Ready = std::tuple<Round, std::uint64_t, std::uint32_t>;

    const RoundGraph& graph_;
    Occupation occupation_;
    const std::vector<std::uint64_t>& rank_;
    std::vector<std::size_t> missing_;
    std::vector<Round> least_;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
};

/// Returns the priorities of messages: the longest tail first; ties by number, head, followers, or at random.
std::vector<std::uint64_t> ranks_of_messages(const RoundGraph& graph, std::uint32_t attempt) {
    std::vector<std::uint64_t> ranks(graph.messages().size());
    std::mt19937 random(attempt);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::uint64_t tie = 0;
        if (attempt == 1) tie = ranks.size() - i;
        if (attempt == 2) tie = ranks.size() - std::min(ranks.size(), graph.followers()[i].size());
        if (attempt == 3) tie = static_cast<std::uint64_t>(graph.heads()[i]);
        if (attempt > 3) tie = random() & 0xffff'ffffU;
        std::int64_t tail = graph.tails()[i];
        if (attempt > 8 && attempt % 4 == 0) tail += static_cast<std::int64_t>(random() % 3);
        ranks[i] = (static_cast<std::uint64_t>((std::int64_t{1} << 30) - tail) << 32) | tie;
    }
    return ranks;
}

Round last_of(const RoundGraph& graph, const std::vector<Round>& rounds) {
    Round last = 0;
    for (std::size_t i = 0; i < rounds.size(); ++i)
        if (!graph.messages()[i].is_point()) last = std::max(last, rounds[i]);
    return last;
}

}  // namespace

EarliestRounds earliest_rounds(const std::vector<LooseMessage>& messages, const Machine& machine) {
    constexpr std::size_t raised_max = 400;      // messages and points for which heads and tails are raised
    constexpr std::uint64_t work_max = 200'000;  // messages placed in all passes
    constexpr std::uint64_t tries_max = 300;
    RoundGraph graph(messages, machine);
    EarliestRounds result;
    RoundGraph::Bound bound = graph.bound();
    if (messages.size() <= raised_max) {
        graph.raise();
        if (const RoundGraph::Bound raised = graph.bound(); raised.rounds > bound.rounds) bound = raised;
    }
    const std::uint64_t tries =
        std::clamp<std::uint64_t>(work_max / std::max<std::size_t>(messages.size(), 1), 2, tries_max);
    for (std::uint32_t attempt = 0; attempt < tries; ++attempt) {
        std::vector<Round> rounds = ListOfRounds(graph, machine, ranks_of_messages(graph, attempt)).run();
        const Round last = last_of(graph, rounds);
        if (attempt == 0 || last < result.last) {
            result.rounds = std::move(rounds);
            result.last = last;
        }
        if (result.last <= bound.rounds) break;
    }
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(messages, [](const LooseMessage& one) { return !one.is_point(); }));
    while (result.last > bound.rounds && count <= searched_messages_max) {
        RoundSearch found = search_rounds(graph, machine, bound.rounds);
        if (!found.is_complete) break;
        if (!found.rounds.empty()) {
            result.rounds = std::move(found.rounds);
            result.last = last_of(graph, result.rounds);
            break;
        }
        bound = {bound.rounds + 1, "search of all orders"};
    }
    result.least = static_cast<Round>(bound.rounds);
    result.binding = std::move(bound.binding);
    return result;
}

}  // namespace kport
