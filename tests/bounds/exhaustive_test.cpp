#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <queue>

#include "tests/bounds/request.hpp"

namespace kport {
namespace {

/// Every lawful broadcast on a machine of a few nodes: from each set of informed nodes all results of a round.
/// Wormhole machines must be trees, whose paths are unique.
class AllBroadcasts {
  public:
    using Set = std::uint32_t;
    /// A round: the nodes that it informs, and its longest path.
    using Step = std::pair<Set, Hops>;

    AllBroadcasts(const Machine& machine, NodeId root) : machine_(machine), graph_(*machine.topology), root_(root) {}

    /// The least sum over rounds of cost(longest path).
    [[nodiscard]] double least(const std::function<double(Hops)>& cost) {
        const Set everybody = (Set{1} << graph_.nodes()) - 1;
        std::map<Set, double> best = {{Set{1} << root_, 0.0}};
        using Entry = std::pair<double, Set>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
        for (open.emplace(0.0, Set{1} << root_); !open.empty();) {
            const auto [spent, informed] = open.top();
            open.pop();
            if (informed == everybody) return spent;
            if (spent > best[informed]) continue;
            for (const auto& [next, longest] : steps(informed)) {
                const double sum = spent + cost(longest);
                const auto known = best.find(next);
                if (known != best.end() && known->second <= sum) continue;
                best[next] = sum;
                open.emplace(sum, next);
            }
        }
        ADD_FAILURE() << "no broadcast reaches everybody";
        return 0;
    }

  private:
    const std::vector<Step>& steps(Set informed) {
        auto& found = steps_[informed];
        if (!found.empty()) return found;
        std::map<Set, Hops> least_longest;
        sends_.assign(graph_.nodes(), 0);
        taken_.clear();
        choose(informed, informed, 0, 0, least_longest);
        for (const auto& step : least_longest)
            if (step.first != informed) found.emplace_back(step);
        return found;
    }

    /// Nodes below `receiver` are settled; this one receives from no node or from one informed before.
    void choose(Set before, Set after, NodeId receiver, Hops longest, std::map<Set, Hops>& found) {
        if (receiver == graph_.nodes()) {
            const auto [entry, fresh] = found.emplace(after, longest);
            if (!fresh) entry->second = std::min(entry->second, longest);
            return;
        }
        choose(before, after, receiver + 1, longest, found);
        if ((after >> receiver & 1) != 0) return;
        for (NodeId sender = 0; sender < graph_.nodes(); ++sender) {
            const Hops hops = graph_.distance(sender, receiver);
            const bool stored = machine_.switching == Switching::store_and_forward;
            if ((before >> sender & 1) == 0 || sends_[sender] == machine_.sends_of(sender) || (stored && hops > 1))
                continue;
            const auto channels_before = taken_;
            if (take_path(sender, receiver)) {
                ++sends_[sender];
                choose(before, after | Set{1} << receiver, receiver + 1, std::max(longest, hops), found);
                --sends_[sender];
            }
            taken_ = channels_before;
        }
    }

    bool take_path(NodeId from, NodeId to) {
        for (NodeId at = from; at != to;) {
            const Port port = graph_.route(at, to);
            if (!taken_.emplace(std::pair(at, port), true).second) return false;
            at = graph_.across(at, port).node;
        }
        return true;
    }

    Machine machine_;
    const Topology& graph_;
    NodeId root_;
    std::map<Set, std::vector<Step>> steps_;
    std::vector<Port> sends_;
    std::map<std::pair<NodeId, Port>, bool> taken_;
};

/// The bound is not above the exact minimum, and our statement about reaching it is right.
void expect_judged(const Bound& bound, double exact, const std::string& told) {
    EXPECT_LE(value_of(bound), exact + 1e-9) << told << bound.binding();
    if (bound.reachable == Reachable::unknown) return;
    EXPECT_EQ(bound.reachable == Reachable::yes, std::abs(value_of(bound) - exact) < 1e-9)
        << told << bound.binding() << ", exact " << exact << ": " << bound.reachable_why;
}

void expect_true_of_all_sources(Machine machine) {
    machine.costs = {3, 0.5, 0.25};
    for (NodeId source = 0; source < machine.topology->nodes(); ++source) {
        const std::string told =
            machine.topology->spec() + " from " + std::to_string(source) + ", " + machine.describe() + ": ";
        AllBroadcasts all(machine, source);
        const Bounds bounds = lower_bounds(machine, {Operation::broadcast, source, 2});
        expect_judged(bounds[Quantity::rounds], all.least([](Hops) { return 1.0; }), told);
        expect_judged(bounds[Quantity::path_sum], all.least([](Hops longest) { return static_cast<double>(longest); }),
                      told);
        expect_judged(bounds[Quantity::latency],
                      all.least([&](Hops longest) { return machine.costs.latency(longest, 2); }), told);
    }
}

TEST(EveryBroadcast, OnSmallStoreAndForwardMachinesKeepsTheBounds) {
    for (const char* spec : {"line:2", "line:5", "line:6", "ring:3", "ring:5", "ring:6", "ring:7", "mesh:2x3",
                             "mesh:2x4", "torus:2x3", "hypercube:3", "complete:5", "complete:6", "cbt:1", "cbt:2"})
        for (const char* ports : {"1", "2", "all", "2:1", "1:2", "all:1"})
            expect_true_of_all_sources(machine_of(spec, ports));
}

TEST(EveryBroadcast, OnSmallWormholeTreesKeepsTheBounds) {
    for (const char* spec : {"line:2", "line:3", "line:4", "line:5", "line:6", "line:7", "cbt:1", "cbt:2"})
        for (const char* ports : {"1", "2", "all"}) expect_true_of_all_sources(machine_of(spec, ports, "wh"));
}

}  // namespace
}  // namespace kport
