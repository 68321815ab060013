/// @file all_schedules.hpp   The least rounds and work of all schedules of packets on small machines, by looking at all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/planning/graph.hpp"
#include "app/search/least_cost.hpp"
#include "app/search/question.hpp"

namespace kport::search {

/// Every schedule of packets, breadth first, by what nodes hold: shares nothing with the formulas.
class AllSchedules {
  public:
    explicit AllSchedules(const Question& question)
        : question_(question), graph_(*question.machine.topology), nodes_(graph_.nodes()) {
        for (Node32 u = 0; u < nodes_; ++u)
            for (const Node32 v : graph_.neighbours(u))
                if (may_pass_on(u) && may_pass_on(v))
                    channels_.insert(channels_.end(), links_between(u, v), Channel{u, v});
        for (Node32 v = 0; v < nodes_; ++v) {
            const PacketSet owned = question.collective.owned(v, nodes_);
            for (const PacketBlock& block : owned.blocks())
                for (std::uint32_t j = 0; j < block.rows; ++j)
                    for (std::uint32_t i = 0; i < block.count; ++i)
                        if (const PacketBlock packet{block.columns()[i], 1, 1, block.all_rows()[j]};
                            std::ranges::find(packets_, packet) == packets_.end())
                            packets_.push_back(packet);
        }
    }

    /// Return rounds_unknown where no schedule ends.
    [[nodiscard]] Round least_rounds() const {
        return least([this](const State& state, std::set<State>& next) { each_round(state, state, 0, {}, next); });
    }
    /// Each message crosses one link.
    [[nodiscard]] Round least_work() const {
        return least([this](const State& state, std::set<State>& next) { each_message(state, next); });
    }

  private:
    using State = std::vector<std::uint32_t>;  ///< by node, the packets that it holds, a bit each
    struct Channel {
        Node32 from, to;
    };

    /// The steps to an end. `step`(state, next) adds the states that one more leads to.
    template <class Step>
    [[nodiscard]] Round least(const Step& step) const {
        std::set<State> now{begin()};
        std::set<State> seen = now;
        for (Round steps = 0; !now.empty(); ++steps) {
            for (const State& state : now)
                if (is_end(state)) return steps;
            std::set<State> next;
            for (const State& state : now) step(state, next);
            now.clear();
            for (const State& state : next)
                if (seen.insert(state).second) now.insert(state);
        }
        return rounds_unknown;
    }
    /// One message over channel c, with each choice of packets: send(packets).
    template <class Send>
    void each_content(const State& before, const Channel& c, const Send& send) const {
        const std::uint32_t news = before[c.from] & ~before[c.to];
        if (question_.bundles()) {  // all that the other lacks is never worse
            if (news != 0) send(news);
            return;
        }
        for (std::uint32_t rest = news; rest != 0; rest &= rest - 1) send(rest & (~rest + 1));
    }
    void each_message(const State& before, std::set<State>& found) const {
        for (const Channel& c : channels_)
            each_content(before, c, [&](std::uint32_t packets) {
                State then = before;
                then[c.to] |= packets;
                found.insert(std::move(then));
            });
    }

    /// More than one on a trunk.
    [[nodiscard]] std::size_t links_between(Node32 u, Node32 v) const {
        const Topology& wires = question_.machine.topology->wires();
        return wires.capacity(u, wires.port_to(u, v));
    }
    [[nodiscard]] bool may_pass_on(Node32 v) const { return question_.collective.may_pass_on(v, nodes_); }
    [[nodiscard]] std::uint32_t bits_of(const PacketSet& set) const {
        std::uint32_t bits = 0;
        for (std::size_t p = 0; p < packets_.size(); ++p)
            if (common_size({&packets_[p], 1}, set) != 0) bits |= 1U << p;
        return bits;
    }
    [[nodiscard]] State begin() const {
        State state;
        for (Node32 v = 0; v < nodes_; ++v) state.push_back(bits_of(question_.collective.owned(v, nodes_)));
        return state;
    }
    [[nodiscard]] bool is_end(const State& state) const {
        for (Node32 v = 0; v < nodes_; ++v) {
            const std::uint32_t wanted = bits_of(question_.collective.wanted(v, nodes_));
            if ((state[v] & wanted) != wanted) return false;
        }
        return true;
    }
    [[nodiscard]] bool allows(const std::vector<Channel>& sent) const {
        const Machine& machine = question_.machine;
        for (Node32 v = 0; v < nodes_; ++v) {
            std::size_t sends = 0;
            std::size_t receipts = 0;
            std::set<Node32> partners;
            for (const Channel& c : sent) {
                sends += c.from == v ? 1 : 0;
                receipts += c.to == v ? 1 : 0;
                if (c.from == v) partners.insert(c.to);
                if (c.to == v) partners.insert(c.from);
            }
            if (machine.pairwise && partners.size() > 1) return false;
            for (const Channel& first : sent) {
                const auto is_on_its_link = [&](const Channel& c) {
                    return (c.from == first.from && c.to == first.to) || (c.from == first.to && c.to == first.from);
                };
                if (machine.links == Duplex::half && static_cast<std::size_t>(std::ranges::count_if(
                                                         sent, is_on_its_link)) > links_between(first.from, first.to))
                    return false;
            }
            if (machine.duplex == Duplex::half ? sends + receipts > machine.ports_of(v)
                                               : sends > machine.sends_of(v) || receipts > machine.receives_of(v))
                return false;
        }
        return true;
    }
    void each_round(const State& before, const State& after, std::size_t c, const std::vector<Channel>& sent,
                    std::set<State>& found) const {
        if (!allows(sent)) return;
        if (c == channels_.size()) {
            found.insert(after);
            return;
        }
        each_round(before, after, c + 1, sent, found);
        std::vector<Channel> more = sent;
        more.push_back(channels_[c]);
        each_content(before, channels_[c], [&](std::uint32_t packets) {
            State then = after;
            then[channels_[c].to] |= packets;
            each_round(before, then, c + 1, more, found);
        });
    }

    const Question& question_;
    Graph graph_;
    Node32 nodes_;
    std::vector<Channel> channels_;
    std::vector<PacketBlock> packets_;
};

}  // namespace kport::search
