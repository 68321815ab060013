#include "app/files/rounds_bound.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

std::string RoundResource::in_words() const {
    const char* const s = capacity == 1 ? "" : "s";
    switch (kind) {
        case Kind::sends: return fmt::format("send port{} of rank {}", s, node);
        case Kind::receives: return fmt::format("receive port{} of rank {}", s, node);
        case Kind::ports: return fmt::format("port{} of rank {}", s, node);
        case Kind::passage:
            return other == no_node ? fmt::format("switch {}", node)
                                    : fmt::format("channel from rank {} to rank {}", node, other);
    }
    return {};
}

std::int64_t rounds_of_jobs(std::vector<RoundJob> jobs, std::uint64_t capacity) {
    std::ranges::sort(jobs, {}, &RoundJob::head);
    std::priority_queue<std::int64_t> tails;
    std::int64_t most = 0;
    std::int64_t round = 0;
    for (std::size_t next = 0; next < jobs.size() || !tails.empty(); ++round) {
        if (tails.empty()) round = std::max(round, jobs[next].head);
        for (; next < jobs.size() && jobs[next].head <= round; ++next) tails.push(jobs[next].tail);
        for (std::uint64_t i = 0; i < capacity && !tails.empty(); ++i) {
            most = std::max(most, round + tails.top());
            tails.pop();
        }
    }
    return most;
}

RoundGraph::RoundGraph(const std::vector<LooseMessage>& messages, const Machine& machine)
    : messages_(messages), followers_(messages.size()), predecessors_(messages.size()) {
    const auto add = [&](std::uint32_t before, std::uint32_t after, std::int64_t lag) {
        followers_[before].push_back({after, lag});
        predecessors_[after].push_back({before, lag});
    };
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
        for (const std::uint32_t before : messages[i].after) add(before, i, messages[before].is_point() ? 0 : 1);
        for (const std::uint32_t before : messages[i].not_before) add(before, i, 0);
    }
    find_order();
    find_resources(machine);
}

void RoundGraph::find_order() {
    std::vector<std::size_t> missing(messages_.size());
    for (std::uint32_t i = 0; i < messages_.size(); ++i) {
        missing[i] = predecessors_[i].size();
        if (missing[i] == 0) order_.push_back(i);
    }
    heads_.assign(messages_.size(), 1);
    for (std::size_t at = 0; at < order_.size(); ++at)
        for (const Edge& edge : followers_[order_[at]]) {
            heads_[edge.to] = std::max(heads_[edge.to], heads_[order_[at]] + edge.lag);
            if (--missing[edge.to] == 0) order_.push_back(edge.to);
        }
    for (std::uint32_t i = 0; i < messages_.size(); ++i)
        if (missing[i] != 0 && !messages_[i].is_point())
            throw RequestError(
                fmt::format("the message from node {} to node {} never goes: it is in a cycle of dependences",
                            messages_[i].from, messages_[i].to));
    tails_.resize(messages_.size());
    for (std::uint32_t i = 0; i < messages_.size(); ++i) tails_[i] = messages_[i].is_point() ? -1 : 0;
    for (auto at = order_.rbegin(); at != order_.rend(); ++at)
        for (const Edge& edge : followers_[*at]) tails_[*at] = std::max(tails_[*at], edge.lag + tails_[edge.to]);
}

void RoundGraph::find_resources(const Machine& machine) {
    using Kind = RoundResource::Kind;
    std::map<std::tuple<Kind, NodeId, NodeId, Port>, std::size_t> known;
    const auto use = [&](std::uint32_t message, Kind kind, NodeId node, NodeId other, Port port,
                         std::uint64_t capacity) {
        const auto [at, is_new] = known.emplace(std::tuple(kind, node, other, port), resources_.size());
        if (is_new) resources_.push_back({kind, node, other, capacity, {}});
        resources_[at->second].users.push_back(message);
    };
    const bool half = machine.duplex == Duplex::half;
    for (std::uint32_t i = 0; i < messages_.size(); ++i) {
        const LooseMessage& message = messages_[i];
        if (message.is_point()) continue;
        use(i, half ? Kind::ports : Kind::sends, message.from, no_node, 0,
            machine.pairwise ? 1 : machine.sends_of(message.from));
        use(i, half ? Kind::ports : Kind::receives, message.to, no_node, 0,
            machine.pairwise ? 1 : machine.receives_of(message.to));
        for_each_passage(message, machine, [&](const Passage& passage) {
            use(i, Kind::passage, passage.from, passage.to, passage.port, passage.capacity);
        });
    }
}

std::vector<std::int64_t> RoundGraph::gaps_from(std::uint32_t start) const {
    std::vector<std::int64_t> gaps(messages_.size(), -1);
    gaps[start] = 0;
    for (const std::uint32_t i : order_)
        if (gaps[i] >= 0)
            for (const Edge& edge : followers_[i]) gaps[edge.to] = std::max(gaps[edge.to], gaps[i] + edge.lag);
    return gaps;
}

std::vector<std::int64_t> RoundGraph::gaps_to(std::uint32_t end) const {
    std::vector<std::int64_t> gaps(messages_.size(), -1);
    gaps[end] = 0;
    for (auto at = order_.rbegin(); at != order_.rend(); ++at)
        if (gaps[*at] >= 0)
            for (const Edge& edge : predecessors_[*at]) gaps[edge.to] = std::max(gaps[edge.to], gaps[*at] + edge.lag);
    return gaps;
}

void RoundGraph::raise() {
    const auto most_of = [&](std::uint32_t self, const auto& job_of) {
        std::int64_t most = -1;  // tail of a point that nothing waits for
        for (const RoundResource& resource : resources_) {
            std::vector<RoundJob> jobs;
            for (const std::uint32_t user : resource.users)
                if (user != self)
                    if (const std::optional<RoundJob> job = job_of(user)) jobs.push_back(*job);
            if (jobs.size() > 1) most = std::max(most, rounds_of_jobs(std::move(jobs), resource.capacity));
        }
        return most;
    };
    for (const std::uint32_t i : order_) {
        for (const Edge& edge : predecessors_[i]) heads_[i] = std::max(heads_[i], heads_[edge.to] + edge.lag);
        const std::vector<std::int64_t> gaps = gaps_to(i);
        heads_[i] = std::max(heads_[i], most_of(i, [&](std::uint32_t j) {
                                 return gaps[j] < 0 ? std::optional<RoundJob>() : RoundJob{heads_[j], gaps[j]};
                             }));
    }
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
        const std::uint32_t i = *at;
        for (const Edge& edge : followers_[i]) tails_[i] = std::max(tails_[i], edge.lag + tails_[edge.to]);
        const std::vector<std::int64_t> gaps = gaps_from(i);
        tails_[i] = std::max(tails_[i], most_of(i, [&](std::uint32_t j) {
                                 return gaps[j] < 0 ? std::optional<RoundJob>() : RoundJob{gaps[j], tails_[j]};
                             }));
    }
}

RoundGraph::Bound RoundGraph::bound() const {
    Bound best{0, "critical path"};
    for (std::uint32_t i = 0; i < messages_.size(); ++i) best.rounds = std::max(best.rounds, heads_[i] + tails_[i]);
    for (const RoundResource& resource : resources_) {
        std::vector<RoundJob> jobs;
        for (const std::uint32_t user : resource.users) jobs.push_back({heads_[user], tails_[user]});
        if (const std::int64_t rounds = rounds_of_jobs(std::move(jobs), resource.capacity); rounds > best.rounds)
            best = {rounds, resource.in_words()};
    }
    return best;
}

namespace {

/// Depth first, a round a level. Sending more in a round never hurts, so only maximal sets are tried.
class RoundsSearch {
  public:
    RoundsSearch(const RoundGraph& graph, const Machine& machine, std::int64_t most) : graph_(graph), most_(most) {
        for (const std::uint32_t i : graph.order())
            if (!graph.messages()[i].is_point()) ids_.push_back(i);
        for (std::size_t a = 0; a < ids_.size(); ++a) {
            const std::vector<std::int64_t> gaps = graph.gaps_to(ids_[a]);
            for (std::size_t b = 0; b < ids_.size(); ++b) {
                if (a == b) continue;
                if (gaps[ids_[b]] > 0) strict_.at(a) |= bit(b);
                if (gaps[ids_[b]] == 0) weak_.at(a) |= bit(b);
                if (machine.pairwise && meet(ids_[a], ids_[b])) apart_.at(a) |= bit(b);
            }
        }
        for (const RoundResource& resource : graph.resources()) {
            Mask users = 0;
            for (std::size_t a = 0; a < ids_.size(); ++a)
                if (std::ranges::find(resource.users, ids_[a]) != resource.users.end()) users |= bit(a);
            shared_.push_back({users, resource.capacity});
        }
        round_of_.resize(ids_.size());
    }

    RoundSearch run() {
        RoundSearch result;
        const bool found = advance(0, 1);
        result.is_complete = found || work_ < work_max;
        if (!found) return result;
        result.rounds.assign(graph_.messages().size(), 0);
        for (std::size_t a = 0; a < ids_.size(); ++a) result.rounds[ids_[a]] = round_of_[a];
        return result;
    }

  private:
    using Mask = std::uint64_t;
    static constexpr std::uint64_t work_max = 300'000;
    struct Shared {
        Mask users = 0;
        std::uint64_t capacity = 1;
    };

    static Mask bit(std::size_t i) { return Mask{1} << i; }

    /// Whether they share a node, and are not between the same two nodes.
    [[nodiscard]] bool meet(std::uint32_t a, std::uint32_t b) const {
        const LooseMessage& one = graph_.messages()[a];
        const LooseMessage& two = graph_.messages()[b];
        const auto first = std::minmax(one.from, one.to);
        const auto second = std::minmax(two.from, two.to);
        if (first == second) return false;
        return one.from == two.from || one.from == two.to || one.to == two.from || one.to == two.to;
    }

    [[nodiscard]] bool too_late(Mask done, std::int64_t round) const {
        for (const Shared& shared : shared_) {
            std::vector<RoundJob> jobs;
            for (std::size_t a = 0; a < ids_.size(); ++a)
                if ((shared.users & ~done & bit(a)) != 0)
                    jobs.push_back({std::max(round, graph_.heads()[ids_[a]]), graph_.tails()[ids_[a]]});
            if (rounds_of_jobs(std::move(jobs), shared.capacity) > most_) return true;
        }
        return false;
    }

    [[nodiscard]] bool fits(std::size_t a, Mask done, Mask chosen) const {
        if ((strict_.at(a) & ~done) != 0 || (weak_.at(a) & ~(done | chosen)) != 0 || (apart_.at(a) & chosen) != 0)
            return false;
        return std::ranges::all_of(shared_, [&](const Shared& shared) {
            return (shared.users & bit(a)) == 0 ||
                   static_cast<std::uint64_t>(std::popcount(shared.users & chosen)) < shared.capacity;
        });
    }

    bool advance(Mask done, std::int64_t round) {
        if (std::popcount(done) == static_cast<int>(ids_.size())) return true;
        if (++work_ >= work_max || round > most_ || too_late(done, round)) return false;
        const auto [known, is_new] = failed_.emplace(done, round);
        if (!is_new && known->second <= round) return false;
        known->second = round;
        return choose(done, 0, 0, round);
    }

    bool choose(Mask done, Mask chosen, std::size_t a, std::int64_t round) {
        if (++work_ >= work_max) return false;
        while (a < ids_.size() && ((done & bit(a)) != 0 || !fits(a, done, chosen))) ++a;
        if (a < ids_.size()) {
            round_of_[a] = static_cast<Round>(round);
            if (choose(done, chosen | bit(a), a + 1, round)) return true;
            const bool must = graph_.tails()[ids_[a]] + round >= most_;
            return !must && choose(done, chosen, a + 1, round);
        }
        if (chosen == 0) return false;
        for (std::size_t b = 0; b < ids_.size(); ++b)
            if (((done | chosen) & bit(b)) == 0 && fits(b, done, chosen)) return false;
        if (!advance(done | chosen, round + 1)) return false;
        for (std::size_t b = 0; b < ids_.size(); ++b)
            if ((chosen & bit(b)) != 0) round_of_[b] = static_cast<Round>(round);
        return true;
    }

    const RoundGraph& graph_;
    std::int64_t most_;
    std::vector<std::uint32_t> ids_;  ///< messages in topological order
    std::array<Mask, 64> strict_ = {};
    std::array<Mask, 64> weak_ = {};
    std::array<Mask, 64> apart_ = {};
    std::vector<Shared> shared_;
    std::vector<Round> round_of_;
    std::unordered_map<Mask, std::int64_t>
        failed_;  ///< by set of sent messages: the earliest round from which the rest did not fit
    std::uint64_t work_ = 0;
};

}  // namespace

RoundSearch search_rounds(const RoundGraph& graph, const Machine& machine, std::int64_t most) {
    return RoundsSearch(graph, machine, most).run();
}

}  // namespace kport
