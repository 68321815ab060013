#include <algorithm>

#include "app/search/formula.hpp"

namespace kport::search {

double bytes_of_gossip(const Graph& graph, Round rounds) {
    constexpr double bytes_news = 300;
    const auto nodes = static_cast<double>(graph.nodes());
    return bytes_news * rounds * nodes * (nodes + static_cast<double>(graph.channels()));
}

GossipFormula::GossipFormula(Solver& solver, const Graph& graph, Mode mode, Port ports, Round rounds,
                             std::span<const Automorphism> symmetry)
    : solver_(solver), graph_(graph), mode_(mode), ports_(ports), rounds_(rounds), calls_(rounds + 1) {
    for (Node32 v = 0; v < graph_.nodes(); ++v) {
        distance_.push_back(graph_.distances({&v, 1}));
        if (*std::ranges::max_element(distance_.back()) > rounds) {
            solver_.add({});
            return;
        }
    }
    declare();
    for (Round round = 1; round <= rounds_; ++round) {
        add_ports(round);
        add_eagerness(round);
        for (Node32 v = 0; v < graph_.nodes(); ++v) {
            for (Node32 p = 0; p < graph_.nodes(); ++p) add_news(v, p, round);
        }
    }
    for (Node32 v = 0; v < graph_.nodes() && ports_ == 1; ++v) add_counts(v);
    add_symmetry(symmetry);
}

Literal GossipFormula::knows(Node32 v, Node32 p, Round round) const {
    if (v == p || round >= rounds_) return always;
    if (round < distance_[v][p]) return never;
    return knows_[(std::uint64_t{v} * graph_.nodes() + p) * rounds_ + round];
}

Literal GossipFormula::call(Node32 u, Node32 v, Round round) const {
    if (mode_ == Mode::telephone && u > v) std::swap(u, v);
    return calls_[round].at({u, v});
}

void GossipFormula::declare() {
    const Node32 nodes = graph_.nodes();
    knows_.resize(std::uint64_t{nodes} * nodes * rounds_);
    sends_.resize(std::uint64_t{nodes} * rounds_);
    receives_.resize(std::uint64_t{nodes} * rounds_);
    for (Node32 v = 0; v < nodes; ++v)
        for (Node32 p = 0; p < nodes; ++p)
            for (Round x = std::max<Round>(1, distance_[v][p]); v != p && x < rounds_; ++x)
                knows_[(std::uint64_t{v} * nodes + p) * rounds_ + x] = solver_.variable();
    for (Round round = 1; round <= rounds_; ++round)
        for (Node32 u = 0; u < nodes; ++u)
            for (const Node32 v : graph_.neighbours(u))
                if (mode_ != Mode::telephone || u < v) calls_[round][{u, v}] = solver_.variable();
}

void GossipFormula::add_ports(Round round) {
    std::vector<Literal> out;
    std::vector<Literal> in;
    for (Node32 v = 0; v < graph_.nodes(); ++v) {
        out.clear();
        in.clear();
        for (const Node32 w : graph_.neighbours(v)) {
            out.push_back(call(v, w, round));
            in.push_back(call(w, v, round));
        }
        const auto any_of = [&](const std::vector<Literal>& calls) {
            const Literal any = solver_.variable();
            for (const Literal call : calls) solver_.add({-call, any});
            std::vector<Literal> clause = calls;
            clause.push_back(-any);
            solver_.add(clause);
            return any;
        };
        const std::uint64_t place = std::uint64_t{v} * rounds_ + round - 1;
        sends_[place] = any_of(out);
        receives_[place] = mode_ == Mode::telephone ? sends_[place] : any_of(in);
        if (mode_ == Mode::telegraph) out.insert(out.end(), in.begin(), in.end());
        solver_.at_most(ports_, out);
        if (mode_ == Mode::kport) solver_.at_most(ports_, in);
    }
}

void GossipFormula::add_eagerness(Round round) {
    for (Node32 u = 0; u < graph_.nodes(); ++u)
        for (const Node32 v : graph_.neighbours(u)) {
            const std::uint64_t of_u = std::uint64_t{u} * rounds_ + round - 1;
            const std::uint64_t of_v = std::uint64_t{v} * rounds_ + round - 1;
            if (mode_ == Mode::telegraph)
                solver_.add({sends_[of_u], receives_[of_u], sends_[of_v], receives_[of_v]});
            else
                solver_.add({sends_[of_u], receives_[of_v]});
        }
}

void GossipFormula::add_counts(Node32 v) {
    constexpr Round rounds_max = 12;
    if (rounds_ > rounds_max) return;
    const std::uint64_t lost_max = (std::uint64_t{1} << rounds_) - graph_.nodes();
    // The minimal sets of rounds in which it may not idle: a set of rounds is what it loses, round x being bit x - 1.
    for (std::uint64_t idle = 1; idle < std::uint64_t{1} << rounds_; ++idle) {
        const std::uint64_t lightest = idle & (~idle + 1);
        if (idle <= lost_max || idle - lightest > lost_max) continue;
        std::vector<Literal> receives;
        std::vector<Literal> sends;
        for (Round x = 1; x <= rounds_; ++x) {
            if ((idle >> (x - 1) & 1) == 0) continue;
            receives.push_back(receives_[std::uint64_t{v} * rounds_ + x - 1]);
            sends.push_back(sends_[std::uint64_t{v} * rounds_ + rounds_ - x]);
        }
        solver_.add(receives);
        solver_.add(sends);
    }
}

void GossipFormula::add_symmetry(std::span<const Automorphism> symmetry) {
    for (const Automorphism& image : symmetry) {
        std::vector<std::pair<Literal, Literal>> images;
        for (const auto& [ends, called] : calls_[1])
            images.emplace_back(called, call(image[ends.first], image[ends.second], 1));
        solver_.not_after(images);
    }
}

void GossipFormula::add_news(Node32 v, Node32 p, Round round) {
    const Literal before = knows(v, p, round - 1);
    const Literal after = knows(v, p, round);
    if (before == always || after == never) return;
    solver_.add({-before, after});
    std::vector<Literal> ways{-after, before};
    for (const Node32 u : graph_.neighbours(v)) {
        const Literal known = knows(u, p, round - 1);
        if (known == never) continue;
        const Literal called = call(u, v, round);
        // A called node learns everything.
        solver_.add({-called, -known, after});
        if (known == always) {
            ways.push_back(called);
            continue;
        }
        const Literal brings = solver_.variable();
        solver_.add({-brings, called});
        solver_.add({-brings, known});
        ways.push_back(brings);
    }
    solver_.add(ways);
}

Calls GossipFormula::calls() const {
    Calls calls;
    for (Round round = 1; round <= rounds_; ++round)
        for (const auto& [ends, variable] : calls_[round]) {
            if (!solver_.holds(variable)) continue;
            calls.push_back({round, ends.first, ends.second});
            if (mode_ == Mode::telephone) calls.push_back({round, ends.second, ends.first});
        }
    return calls;
}

}  // namespace kport::search
