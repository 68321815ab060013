#include "app/search/gossip.hpp"

#include <algorithm>
#include <tuple>

#include <boost/dynamic_bitset.hpp>

namespace kport::search {
namespace {

using Packets = boost::dynamic_bitset<std::uint64_t>;

class Greedy {
  public:
    Greedy(const Graph& graph, Mode mode, Port ports)
        : graph_(graph), mode_(mode), ports_(ports), known_(graph.nodes(), Packets(graph.nodes())) {
        for (Node32 v = 0; v < graph.nodes(); ++v) known_[v].set(v);
    }

    /// Plays a round. Returns false if no node lacks anything.
    [[nodiscard]] bool play(Round round, Calls& calls) {
        weigh();
        if (weighed_.empty()) return false;
        out_.assign(graph_.nodes(), 0);
        in_.assign(graph_.nodes(), 0);
        const std::size_t first = calls.size();
        for (const auto& [weight, u, v] : weighed_) {
            if (!is_free(u, v)) continue;
            ++out_[u];
            ++in_[v];
            calls.push_back({round, u, v});
            if (mode_ != Mode::telephone) continue;
            ++out_[v];
            ++in_[u];
            calls.push_back({round, v, u});
        }
        std::vector<Packets> after = known_;
        for (std::size_t i = first; i < calls.size(); ++i) after[calls[i].to] |= known_[calls[i].from];
        known_ = std::move(after);
        return true;
    }

  private:
    /// Sorts the calls by what they bring, the most first.
    void weigh() {
        weighed_.clear();
        for (Node32 u = 0; u < graph_.nodes(); ++u)
            for (const Node32 v : graph_.neighbours(u)) {
                if (mode_ == Mode::telephone && u > v) continue;
                std::uint64_t news = (known_[u] - known_[v]).count();
                if (mode_ == Mode::telephone) news += (known_[v] - known_[u]).count();
                if (news > 0) weighed_.emplace_back(~news, u, v);
            }
        std::ranges::sort(weighed_);
    }
    [[nodiscard]] bool is_free(Node32 u, Node32 v) const {
        if (mode_ == Mode::kport) return out_[u] < ports_ && in_[v] < ports_;
        return out_[u] + in_[u] == 0 && out_[v] + in_[v] == 0;
    }

    const Graph& graph_;
    Mode mode_;
    Port ports_;
    std::vector<Packets> known_;
    std::vector<std::tuple<std::uint64_t, Node32, Node32>> weighed_;
    std::vector<Port> out_;
    std::vector<Port> in_;
};

}  // namespace

Calls there_and_back(const Calls& broadcast, Mode mode) {
    const Round rounds = rounds_of(broadcast);
    // The collecting node has, in the round of its last receipt, what the sender lacks, except what it gets from others
    // in that round.
    const auto last = std::ranges::count(broadcast, Round{1}, &Call::round);
    const Round shared = mode == Mode::telegraph || last != 1 ? 0 : 1;
    Calls calls;
    for (const Call& call : broadcast) {
        calls.push_back({rounds + 1 - call.round, call.to, call.from});
        calls.push_back({rounds - shared + call.round, call.from, call.to});
    }
    return calls;
}

Calls greedy_gossip(const Graph& graph, Mode mode, Port ports, const Stop& stop) {
    Calls calls;
    Greedy greedy(graph, mode, ports);
    for (Round round = 1; greedy.play(round, calls); ++round)
        if (stop()) return {};
    return calls;
}

}  // namespace kport::search
