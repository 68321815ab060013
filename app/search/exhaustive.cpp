#include "app/search/problem.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <unordered_set>
#include <vector>

#include "emulator/base/error.hpp"

namespace kport::search {
namespace {

using Set = std::uint32_t;

constexpr Set set_of(Node32 v) { return Set{1} << v; }

/// Calls visit(v) for each node of the set.
template <class Visit>
void for_each(Set set, const Visit& visit) {
    for (; set != 0; set &= set - 1) visit(static_cast<Node32>(std::countr_zero(set)));
}

class Exhaustive {
  public:
    Exhaustive(const Graph& graph, Port ports, Round rounds, const Stop& stop)
        : ports_(ports), stop_(stop), all_(~Set{0} >> (exhaustive_nodes_max - graph.nodes())), near_(graph.nodes()),
          failed_(rounds + 1) {
        for (Node32 v = 0; v < graph.nodes(); ++v)
            for (const Node32 w : graph.neighbours(v)) near_[v] |= set_of(w);
    }

    [[nodiscard]] bool solve(Set informed, Round left) {
        if (informed == all_) return true;
        if (!can_suffice(informed, left) || stopped() || failed_[left].contains(informed)) return false;
        for (const Set next : after_a_round(informed)) {
            way_.push_back(next);
            if (solve(next, left - 1)) return true;
            way_.pop_back();
        }
        if (!stopped_) failed_[left].insert(informed);
        return false;
    }
    [[nodiscard]] bool was_stopped() const { return stopped_; }

    /// Returns the calls on the path that was found.
    [[nodiscard]] Calls calls(Set informed) const {
        Calls calls;
        Round round = 0;
        for (const Set next : way_) {
            ++round;
            std::vector<std::vector<Node32>> pupils(near_.size());
            for_each(next & ~informed, [&](Node32 v) {
                Set seen = 0;
                const bool taught = teach(v, informed, seen, pupils);
                invariant(taught, "a set that a round informs has a matching");
            });
            for (Node32 u = 0; u < near_.size(); ++u)
                for (const Node32 v : pupils[u]) calls.push_back({round, u, v});
            informed = next;
        }
        return calls;
    }

  private:
    [[nodiscard]] bool stopped() {
        constexpr std::uint64_t between = 1024;
        if (!stopped_ && ++asked_ % between == 0) stopped_ = stop_();
        return stopped_;
    }
    /// Whether there are enough informed nodes, close enough to all others.
    [[nodiscard]] bool can_suffice(Set informed, Round left) const {
        std::uint64_t reached = static_cast<std::uint64_t>(std::popcount(informed));
        Set ball = informed;
        for (Round round = 0; round < left; ++round) {
            reached = std::min<std::uint64_t>(reached * (std::uint64_t{ports_} + 1), near_.size());
            Set wider = ball;
            for_each(ball, [&](Node32 v) { wider |= near_[v]; });
            ball = wider;
        }
        return reached == near_.size() && ball == all_;
    }
    /// Returns the maximal sets that a round can make of this one. They are equally large: the sets that can be matched
    /// are a matroid.
    [[nodiscard]] std::vector<Set> after_a_round(Set informed) {
        std::unordered_set<Set> sets{informed};
        for_each(informed, [&](Node32 u) {
            std::unordered_set<Set> wider;
            for (const Set set : sets) tell(near_[u] & ~set, set, ports_, wider);
            sets = std::move(wider);
        });
        int largest = 0;
        for (const Set set : sets) largest = std::max(largest, std::popcount(set));
        std::vector<Set> maximal;
        for (const Set set : sets)
            if (std::popcount(set) == largest) maximal.push_back(set);
        std::ranges::sort(maximal);
        return maximal;
    }
    /// Adds the set with each choice of at most `left` of the candidates.
    static void tell(Set candidates, Set set, Port left, std::unordered_set<Set>& into) {
        if (candidates == 0 || left == 0) {
            into.insert(set);
            return;
        }
        for (Set rest = candidates; rest != 0;) {
            const Set lowest = rest & (~rest + 1);
            rest &= rest - 1;
            tell(rest, set | lowest, left - 1, into);
        }
        into.insert(set);
    }
    bool teach(Node32 v, Set informed, Set& seen, std::vector<std::vector<Node32>>& pupils) const {
        for (Set near = near_[v] & informed & ~seen; near != 0; near = near & (near - 1) & ~seen) {
            const auto u = static_cast<Node32>(std::countr_zero(near));
            seen |= set_of(u);
            if (pupils[u].size() < ports_) {
                pupils[u].push_back(v);
                return true;
            }
            for (Node32& pupil : pupils[u]) {
                const Node32 other = pupil;
                if (!teach(other, informed, seen, pupils)) continue;
                pupil = v;
                return true;
            }
        }
        return false;
    }

    Port ports_;
    const Stop& stop_;
    Set all_;
    std::vector<Set> near_;
    std::vector<std::unordered_set<Set>> failed_;  ///< by the number of rounds left
    std::vector<Set> way_;
    std::uint64_t asked_ = 0;
    bool stopped_ = false;
};

}  // namespace

Answer search_exhaustively(const Graph& graph, std::span<const Node32> sources, Port ports, Round rounds,
                           const Stop& stop, Calls& calls) {
    invariant(graph.nodes() <= exhaustive_nodes_max, "a set of nodes is a word");
    Exhaustive search(graph, ports, rounds, stop);
    Set informed = 0;
    for (const Node32 v : sources) informed |= set_of(v);
    if (search.solve(informed, rounds)) {
        calls = search.calls(informed);
        return Answer::yes;
    }
    return search.was_stopped() ? Answer::stopped : Answer::no;
}

}  // namespace kport::search
