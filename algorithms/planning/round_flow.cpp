#include "algorithms/planning/round_flow.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "emulator/base/error.hpp"
#include "emulator/base/random.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::planning {

LinkFlows::LinkFlows(const Topology& wires) : first_(wires.nodes() + 1, 0) {
    std::map<std::pair<NodeId, NodeId>, std::size_t> by_ends;
    for (NodeId v = 0; v < wires.nodes(); ++v) {
        first_[v] = links_.size();
        for_each_neighbour(wires, v, [&](NodeId w, Port port) {
            by_ends.emplace(std::pair(v, w), links_.size());
            links_.push_back({v, port, w});
        });
    }
    first_.back() = links_.size();
    for (const Link& link : links_) opposite_.push_back(by_ends.at({link.to, link.from}));
}

std::vector<RoutedCall> LinkFlows::calls(Numbers flow, const Numbers& sends, Numbers receives, Round round) const {
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const std::uint32_t both = std::min(flow[i], flow[opposite_[i]]);
        flow[i] -= both;
        flow[opposite_[i]] -= both;
    }
    std::vector<RoutedCall> calls;
    for (Node32 v = 0; v < sends.size(); ++v)
        for (std::uint32_t sent = sends[v]; sent > 0; --sent)
            if (auto call = next_call(v, flow, receives, round)) calls.push_back(*std::move(call));
    return calls;
}

std::optional<RoutedCall> LinkFlows::next_call(Node32 from, Numbers& flow, Numbers& receives, Round round) const {
    std::vector<NodeId> passed{from};
    RoutedCall routed{{round, from, no_node32}, {}};
    for (;;) {
        const NodeId at = passed.back();
        const bool receives_more = at < receives.size() && receives[at] > 0;
        std::size_t i = first_[at];
        while (i < first_[at + 1] && flow[i] == 0) ++i;
        if (receives_more && (at != from || i == first_[at + 1])) {
            --receives[at];
            routed.call.to = static_cast<Node32>(at);
            return at == from ? std::nullopt : std::optional(std::move(routed));
        }
        invariant(i < first_[at + 1], "what flows into a node flows out of it");
        --flow[i];
        routed.route.push_back(links_[i].port);
        const NodeId next = links_[i].to;
        const auto before = std::ranges::find(passed, next);
        if (before == passed.end()) {
            passed.push_back(next);
            continue;
        }
        routed.route.resize(static_cast<std::size_t>(before - passed.begin()));  // leave the cycle out
        passed.erase(before + 1, passed.end());
    }
}

RoundFlow::RoundFlow(const Machine& machine)
    : wires_(machine.topology->wires()), links_(wires_), hosts_(static_cast<Node32>(machine.topology->nodes())),
      arcs_(2 * wires_.nodes() + 1) {
    const Fabric* fabric = machine.topology->fabric();
    for (NodeId v = 0; v < wires_.nodes(); ++v)
        if (v >= hosts_)
            add_arc(in(v), out(v), machine.switch_limit);
        else if (machine.switching == Switching::wormhole)  // messages pass hosts
            add_arc(in(v), out(v), std::numeric_limits<std::uint32_t>::max());
    for (const LinkFlows::Link& link : links_.links())
        of_link_.push_back(
            add_arc(out(link.from), in(link.to), fabric == nullptr ? 1 : fabric->capacity(link.from, link.port)));
    for (Node32 v = 0; v < hosts_; ++v) {
        sends_.push_back(machine.pairwise ? std::min<Port>(1, machine.sends_of(v)) : machine.sends_of(v));
        of_host_.push_back(add_arc(start(), out(v), 0));
    }
    reached_by_.resize(arcs_.size());
    seen_.assign(arcs_.size(), 0);
    left_ = capacity_;
}

RoundFlow::Arc RoundFlow::add_arc(Vertex from, Vertex to, std::uint64_t capacity) {
    const auto arc = static_cast<Arc>(ends_.size());
    ends_.push_back(to);
    ends_.push_back(from);
    capacity_.push_back(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity, std::numeric_limits<std::uint32_t>::max())));
    capacity_.push_back(0);
    arcs_[from].push_back(arc);
    arcs_[to].push_back(arc ^ 1U);
    return arc;
}

void RoundFlow::restart(const std::vector<bool>& informed) {
    for (Node32 v = 0; v < hosts_; ++v) capacity_[of_host_[v]] = informed[v] ? sends_[v] : 0;
    left_ = capacity_;
    receivers_.clear();
}

bool RoundFlow::add(Node32 host) {
    // From the receiver back to a host that may still send.
    ++searches_;
    open_.assign(1, in(host));
    seen_[in(host)] = searches_;
    for (std::size_t i = 0; i < open_.size() && seen_[start()] != searches_; ++i)
        for (const Arc away : arcs_[open_[i]]) {
            const Arc towards = away ^ 1U;
            const Vertex from = ends_[away];
            if (left_[towards] == 0 || seen_[from] == searches_) continue;
            seen_[from] = searches_;
            reached_by_[from] = towards;
            open_.push_back(from);
        }
    if (seen_[start()] != searches_) return false;
    for (Vertex at = start(); at != in(host); at = ends_[reached_by_[at]]) {
        constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();
        const Arc arc = reached_by_[at];
        if (left_[arc] != unlimited) --left_[arc];
        if (left_[arc ^ 1U] != unlimited) ++left_[arc ^ 1U];
    }
    receivers_.push_back(host);
    return true;
}

std::vector<RoutedCall> RoundFlow::calls(Round round) const {
    LinkFlows::Numbers flow;
    LinkFlows::Numbers sends;
    LinkFlows::Numbers receives(hosts_, 0);
    for (const Arc arc : of_link_) flow.push_back(left_[arc ^ 1U]);
    for (const Arc arc : of_host_) sends.push_back(left_[arc ^ 1U]);
    for (const Node32 v : receivers_) receives[v] = 1;
    return links_.calls(std::move(flow), sends, std::move(receives), round);
}

// ------------------------------------------------------------------------------------------------------------- plans

namespace {

class FlowPlanner {
  public:
    FlowPlanner(const Machine& machine, std::span<const Node32> sources, const Stop& stop)
        : wires_(machine.topology->wires()), hosts_(static_cast<Node32>(machine.topology->nodes())),
          sources_(sources.begin(), sources.end()), stop_(stop), flow_(machine), next_(machine), dice_(hosts_),
          steps_(static_cast<double>(hosts_) * static_cast<double>(flow_.arcs())),
          candidates_(static_cast<int>(std::clamp(steps_of_a_round / steps_, 1.0, candidates_max))) {
        for (Node32 v = 0; v < hosts_; ++v) others_near_.push_back(machine.topology->degree(v));
    }

    std::vector<RoutedCall> plan(Round least) {
        std::vector<RoutedCall> best;
        for (double spent = 0;;) {
            std::vector<RoutedCall> found = one_plan();
            if (stopped_) return {};
            const Round rounds = found.empty() ? 0 : found.back().call.round;
            if (best.empty() || rounds < best.back().call.round) best = std::move(found);
            spent += steps_ * static_cast<double>(rounds) * 2 * candidates_;
            if (best.empty() || best.back().call.round <= least || spent > steps_of_all_tries || ++tries_ == tries_max)
                return best;
        }
    }

  private:
    static constexpr double candidates_max = 64;
    static constexpr double steps_of_a_round = 1 << 22;
    static constexpr double steps_of_all_tries = 1 << 28;
    static constexpr int tries_max = 24;

    std::vector<RoutedCall> one_plan() {
        std::vector<RoutedCall> all;
        std::vector<bool> informed(hosts_, false);
        for (const Node32 v : sources_) informed[v] = true;
        std::size_t count = sources_.size();
        for (Round round = 1; count < hosts_; ++round) {
            if (stop_()) {
                stopped_ = true;
                return {};
            }
            std::vector<RoutedCall> calls = round_from(informed, count, round);
            invariant(!calls.empty(), "the hosts can reach each other");
            for (RoutedCall& one : calls) {
                informed[one.call.to] = true;
                all.push_back(std::move(one));
            }
            count += calls.size();
        }
        return all;
    }

    /// The largest set of receivers after which the next round can inform most.
    std::vector<RoutedCall> round_from(const std::vector<bool>& informed, std::size_t count, Round round) {
        std::vector<RoutedCall> best;
        std::size_t most = 0;
        for (int candidate = 0; candidate < candidates_; ++candidate) {
            flow_.restart(informed);
            if (candidate == 0 && tries_ == 0)
                add_spread(informed);
            else
                for (const Node32 v : order(informed, candidate)) (void)flow_.add(v);
            std::vector<RoutedCall> calls = flow_.calls(round);
            if (count + calls.size() == hosts_ || candidates_ == 1) return calls;
            std::vector<bool> then = informed;
            for (const RoutedCall& one : calls) then[one.call.to] = true;
            next_.restart(then);
            for (Node32 v = 0; v < hosts_; ++v)
                if (!then[v]) (void)next_.add(v);
            if (!best.empty() && next_.receivers().size() <= most) continue;
            most = next_.receivers().size();
            best = std::move(calls);
            if (count + best.size() + most == hosts_) break;  // the next round informs all
        }
        return best;
    }

    /// Uninformed hosts: those with most hosts one message away first, or in random order.
    std::vector<Node32> order(const std::vector<bool>& informed, int candidate) {
        std::vector<Node32> hosts;
        for (Node32 v = 0; v < hosts_; ++v)
            if (!informed[v]) hosts.push_back(v);
        dice_.shuffle(hosts);
        if (candidate == 1)
            std::ranges::stable_sort(hosts, std::ranges::greater(), [&](Node32 v) { return others_near_[v]; });
        return hosts;
    }

    /// Adds the host that is farthest from all that know or will, again and again.
    void add_spread(const std::vector<bool>& informed) {
        std::vector<std::uint32_t> distance(wires_.nodes(), unreached);
        for (Node32 v = 0; v < hosts_; ++v)
            if (informed[v]) come_near(v, distance);
        std::vector<Node32> left;
        for (Node32 v = 0; v < hosts_; ++v)
            if (!informed[v]) left.push_back(v);
        while (!left.empty()) {
            const auto farthest = std::ranges::max_element(left, {}, [&](Node32 v) { return distance[v]; });
            if (flow_.add(*farthest)) come_near(*farthest, distance);
            left.erase(farthest);
        }
    }
    void come_near(Node32 v, std::vector<std::uint32_t>& distance) {
        distance[v] = 0;
        std::vector<NodeId> open{v};
        for (std::size_t i = 0; i < open.size(); ++i)
            for_each_neighbour(wires_, open[i], [&](NodeId w) {
                if (distance[w] <= distance[open[i]] + 1) return;
                distance[w] = distance[open[i]] + 1;
                open.push_back(w);
            });
    }

    const Topology& wires_;
    Node32 hosts_;
    std::vector<Node32> sources_;
    const Stop& stop_;
    RoundFlow flow_;
    RoundFlow next_;
    Dice dice_;
    double steps_;                   ///< of a search for each host
    int candidates_;                 ///< sets of receivers tried in a round
    std::vector<Port> others_near_;  ///< by host: hosts that are one message away
    int tries_ = 0;
    bool stopped_ = false;
};

}  // namespace

std::vector<RoutedCall> plan_by_flows(const Machine& machine, std::span<const Node32> sources, Round least,
                                      const Stop& stop) {
    return FlowPlanner(machine, sources, stop).plan(least);
}

double steps_of_flow(const Topology& topology) {
    return static_cast<double>(topology.nodes()) * static_cast<double>(topology.wires().channels());
}

Schedule with_routes(const Schedule& schedule, const std::vector<RoutedCall>& calls) {
    std::map<std::tuple<Round, NodeId, NodeId>, const std::vector<Port>*> routes;
    for (const RoutedCall& one : calls)
        routes.emplace(std::tuple(one.call.round, one.call.from, one.call.to), &one.route);
    Schedule routed;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        routed.add(schedule.round(i), {transfer.from, transfer.to,
                                       *routes.at({schedule.round(i), transfer.from, transfer.to}), transfer.packets});
    }
    return routed;
}

Calls calls_of(const std::vector<RoutedCall>& calls) {
    Calls plain;
    for (const RoutedCall& one : calls) plain.push_back(one.call);
    return plain;
}

}  // namespace kport::planning
