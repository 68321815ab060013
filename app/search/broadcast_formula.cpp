#include <algorithm>
#include <numeric>

#include "app/search/formula.hpp"

namespace kport::search {
namespace {

class FirstSendsOf {
  public:
    FirstSendsOf(const Graph& graph, Node32 source) : graph_(graph), symmetry_(graph), source_(source) {}

    [[nodiscard]] std::vector<FirstSends> all() {
        extend({});
        return std::move(found_);
    }

  private:
    void extend(std::vector<Node32> so_far) {
        constexpr std::size_t orders_max = 64;
        std::vector<Node32> fixed{source_};
        fixed.insert(fixed.end(), so_far.begin(), so_far.end());
        std::vector<Node32> left;
        for (const Node32 v : graph_.neighbours(source_))
            if (std::ranges::find(so_far, v) == so_far.end()) left.push_back(v);
        const std::vector<Node32> kinds = symmetry_.kinds(fixed, left);
        if (kinds.size() == left.size() || found_.size() >= orders_max) return;
        FirstSends sends{so_far, {}};
        for (const Node32 v : left)
            if (std::ranges::find(kinds, v) == kinds.end()) sends.not_next.push_back(v);
        found_.push_back(std::move(sends));
        for (const Node32 v : kinds) {
            std::vector<Node32> longer = so_far;
            longer.push_back(v);
            extend(std::move(longer));
        }
    }

    const Graph& graph_;
    Symmetry symmetry_;
    Node32 source_;
    std::vector<FirstSends> found_;
};

}  // namespace

std::vector<FirstSends> first_sends(const Graph& graph, Node32 source) { return FirstSendsOf(graph, source).all(); }

double bytes_of_broadcast(const Graph& graph, Round rounds) {
    constexpr double bytes_send = 700;  // including the clauses in which it occurs
    return bytes_send * static_cast<double>(graph.channels()) * rounds;
}

BroadcastFormula::BroadcastFormula(Solver& solver, const Graph& graph, std::span<const Node32> sources, Port ports,
                                   Round rounds, std::span<const FirstSends> symmetry)
    : solver_(solver), graph_(graph), ports_(ports), rounds_(rounds), distance_(graph.distances(sources)) {
    if (*std::ranges::max_element(distance_) > rounds) {
        solver_.add({});
        return;
    }
    declare();
    for (Node32 v = 0; v < graph_.nodes(); ++v) {
        for (Round round = 1; round <= rounds_; ++round) {
            add_sends(v, round);
            add_receipts(v, round);
        }
    }
    add_symmetry(symmetry);
}

Literal BroadcastFormula::told(Node32 v, Round round) const {
    if (distance_[v] == 0 || round >= rounds_) return always;
    return round < distance_[v] ? never : told_[std::uint64_t{v} * rounds_ + round];
}

template <class Visit>
void BroadcastFormula::each_send(Node32 u, Round round, const Visit& visit) const {
    const auto near = graph_.neighbours(u);
    for (std::size_t i = 0; i < near.size(); ++i)
        if (const Literal sent = sends_[(first_send_[u] + i) * rounds_ + round - 1]; sent != 0) visit(near[i], sent);
}

Literal BroadcastFormula::send(Node32 u, Node32 v, Round round) const {
    const auto near = graph_.neighbours(u);
    const auto place = std::ranges::lower_bound(near, v) - near.begin();
    return sends_[(first_send_[u] + static_cast<std::uint64_t>(place)) * rounds_ + round - 1];
}

void BroadcastFormula::declare() {
    told_.resize(std::uint64_t{graph_.nodes()} * rounds_);
    sends_.resize(graph_.channels() * rounds_);
    std::uint64_t first = 0;
    for (Node32 u = 0; u < graph_.nodes(); ++u) {
        first_send_.push_back(first);
        for (Round x = std::max<Round>(1, distance_[u]); distance_[u] > 0 && x < rounds_; ++x)
            told_[std::uint64_t{u} * rounds_ + x] = solver_.variable();
        for (const Node32 v : graph_.neighbours(u)) {
            // A node without another neighbour was informed by this one.
            const bool useless = distance_[v] == 0 || (distance_[u] > 0 && graph_.degree(u) == 1);
            for (Round x = std::max(distance_[u] + 1, distance_[v]); !useless && x <= rounds_; ++x)
                sends_[first * rounds_ + x - 1] = solver_.variable();
            ++first;
        }
    }
}

void BroadcastFormula::add_sends(Node32 u, Round round) {
    const Literal may = told(u, round - 1);
    if (may == never) return;
    std::vector<Literal> sent;
    each_send(u, round, [&](Node32 v, Literal send) {
        sent.push_back(send);
        solver_.add({-send, may});
        solver_.add({-send, told(v, round)});
        solver_.add({-send, -told(v, round - 1)});
    });
    if (sent.empty()) return;
    solver_.at_most(ports_, sent);
    // A node that could send more has no uninformed neighbour left. With several ports this requires at least one send.
    const Literal busy = sent.size() == 1 ? sent.front() : solver_.variable();
    each_send(u, round, [&](Node32 v, Literal) { solver_.add({-may, told(v, round), busy}); });
    if (sent.size() == 1) return;
    sent.push_back(-busy);
    solver_.add(sent);
}

void BroadcastFormula::add_receipts(Node32 v, Round round) {
    if (distance_[v] == 0 || round < distance_[v]) return;
    std::vector<Literal> received;
    for (const Node32 u : graph_.neighbours(v))
        if (const Literal sent = send(u, v, round); sent != 0) received.push_back(sent);
    solver_.at_most_one(received);
    solver_.add({-told(v, round - 1), told(v, round)});
    received.push_back(-told(v, round));
    received.push_back(told(v, round - 1));
    solver_.add(received);
}

void BroadcastFormula::add_symmetry(std::span<const FirstSends> symmetry) {
    for (const FirstSends& order : symmetry) {
        const auto next = static_cast<Round>(order.so_far.size() + 1);
        if (next > rounds_) continue;
        // Only one source: symmetry is used for a single source only.
        const auto source = static_cast<Node32>(std::ranges::find(distance_, 0U) - distance_.begin());
        std::vector<Literal> clause;
        for (Round round = 1; round < next; ++round) {
            const Literal sent = send(source, order.so_far[round - 1], round);
            clause.push_back(-sent);
        }
        for (const Node32 v : order.not_next) {
            clause.push_back(-send(source, v, next));
            solver_.add(clause);
            clause.pop_back();
        }
    }
}

Calls BroadcastFormula::calls() const {
    Calls calls;
    for (Node32 u = 0; u < graph_.nodes(); ++u)
        for (Round round = 1; round <= rounds_; ++round)
            each_send(u, round, [&](Node32 v, Literal sent) {
                if (solver_.holds(sent)) calls.push_back({round, u, v});
            });
    return calls;
}

}  // namespace kport::search
