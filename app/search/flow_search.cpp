#include "app/search/search.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/bounds.hpp"
#include "app/search/question.hpp"
#include "app/search/symmetry.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::search {
namespace {

using planning::RoundFlow;
using planning::RoutedCall;
using FlowClock = std::chrono::steady_clock;
using Hosts = std::uint64_t;  ///< a set of hosts

constexpr Hosts bit_of(Node32 v) { return Hosts{1} << v; }

/// Depth first over sets of informed hosts.
class FlowSearch {
  public:
    FlowSearch(const Machine& machine, Round rounds, const std::vector<Automorphism>& symmetry, const Stop& stop)
        : machine_(machine), hosts_(static_cast<Node32>(machine.topology->nodes())),
          all_(~Hosts{0} >> (flow_search_nodes_max - hosts_)), symmetry_(symmetry), stop_(stop), failed_(rounds + 1) {
        for (Node32 v = 0; v < hosts_; ++v) most_sends_ = std::max<std::uint64_t>(most_sends_, machine.sends_of(v));
        if (machine.pairwise) most_sends_ = std::min<std::uint64_t>(most_sends_, 1);
        find_alike();
        for (Round left = 0; left <= rounds; ++left) flows_.emplace_back(machine);
    }

    [[nodiscard]] bool solve(Hosts informed, Round left) {
        if (informed == all_) return true;
        if (left == 0 || !can_suffice(informed, left) || stopped()) return false;
        const Hosts canonical = canonical_of(informed);
        if (failed_[left].contains(canonical)) return false;
        RoundFlow& flow = flows_[left];
        flow.restart(bits_of(informed));
        const std::size_t rank = rank_with(flow, all_ & ~informed);
        flow.restart(bits_of(informed));
        if (try_bases(flow, informed, 0, 0, 0, rank, left)) return true;
        if (!stopped_) failed_[left].insert(canonical);
        return false;
    }
    [[nodiscard]] bool was_stopped() const { return stopped_; }

    /// Returns the calls on the path that was found, which begins with these hosts.
    [[nodiscard]] std::vector<RoutedCall> calls(Hosts informed) const {
        std::vector<RoutedCall> all;
        Round round = 0;
        RoundFlow flow(machine_);
        for (auto next = way_.rbegin(); next != way_.rend(); ++next) {
            flow.restart(bits_of(informed));
            for (Node32 v = 0; v < hosts_; ++v)
                if ((*next & bit_of(v)) != 0) {
                    const bool is_served = flow.add(v);
                    invariant(is_served, "the receivers of a round can be served");
                }
            for (RoutedCall& one : flow.calls(++round)) all.push_back(std::move(one));
            informed |= *next;
        }
        return all;
    }
    [[nodiscard]] static std::vector<bool> bits(Hosts set, Node32 hosts) {
        std::vector<bool> bits(hosts);
        for (Node32 v = 0; v < hosts; ++v) bits[v] = (set & bit_of(v)) != 0;
        return bits;
    }

  private:
    [[nodiscard]] std::vector<bool> bits_of(Hosts set) const { return bits(set, hosts_); }
    [[nodiscard]] bool stopped() {
        if (!stopped_) stopped_ = stop_();
        return stopped_;
    }

    /// Whether the informed hosts can grow to all.
    [[nodiscard]] bool can_suffice(Hosts informed, Round left) const {
        auto reached = static_cast<std::uint64_t>(std::popcount(informed));
        for (Round round = 0; round < left && reached < hosts_; ++round) reached += reached * most_sends_;
        return reached >= hosts_;
    }

    /// Hosts with the same limits, and the same links to the same nodes, can change places.
    void find_alike() {
        const Topology& wires = machine_.topology->wires();
        std::map<std::vector<std::pair<NodeId, std::uint64_t>>, Node32> first;
        for (Node32 v = 0; v < hosts_; ++v) {
            std::vector<std::pair<NodeId, std::uint64_t>> links{{no_node, machine_.sends_of(v)}};
            for_each_neighbour(wires, v, [&](NodeId w, Port port) { links.emplace_back(w, wires.capacity(v, port)); });
            std::ranges::sort(links);
            kind_.push_back(first.try_emplace(std::move(links), v).first->second);
        }
    }
    /// Returns the same set for all sets that alike hosts or automorphisms take to each other.
    [[nodiscard]] Hosts canonical_of(Hosts set) const {
        Hosts least = with_lowest_alike(set);
        for (const Automorphism& image : symmetry_) {
            Hosts other = 0;
            for (Hosts rest = set; rest != 0; rest &= rest - 1)
                other |= bit_of(image[static_cast<std::size_t>(std::countr_zero(rest))]);
            least = std::min(least, with_lowest_alike(other));
        }
        return least;
    }
    [[nodiscard]] Hosts with_lowest_alike(Hosts set) const {
        std::vector<std::uint32_t> of_kind(hosts_, 0);
        for (Hosts rest = set; rest != 0; rest &= rest - 1)
            ++of_kind[kind_[static_cast<std::size_t>(std::countr_zero(rest))]];
        Hosts lowest = 0;
        for (Node32 v = 0; v < hosts_; ++v)
            if (of_kind[kind_[v]] > 0) {
                --of_kind[kind_[v]];
                lowest |= bit_of(v);
            }
        return lowest;
    }

    /// Adds as many as can be; returns how many receivers there are then.
    static std::size_t rank_with(RoundFlow& flow, Hosts hosts) {
        for (; hosts != 0; hosts &= hosts - 1) (void)flow.add(static_cast<Node32>(std::countr_zero(hosts)));
        return flow.receivers().size();
    }

    /// Tries all bases that hold `chosen` and otherwise hosts from `v` on, and no kind that was passed over.
    bool try_bases(RoundFlow& flow, Hosts informed, Node32 v, Hosts chosen, Hosts passed_kinds, std::size_t rank,
                   Round left) {
        if (static_cast<std::size_t>(std::popcount(chosen)) == rank) {
            if (!solve(informed | chosen, left - 1)) return false;
            way_.push_back(chosen);
            return true;
        }
        while (v < hosts_ && ((informed & bit_of(v)) != 0 || (passed_kinds & bit_of(kind_[v])) != 0)) ++v;
        if (v == hosts_ || stopped()) return false;
        const RoundFlow::State before = flow.state();
        if (flow.add(v)) {
            if (try_bases(flow, informed, v + 1, chosen | bit_of(v), passed_kinds, rank, left)) return true;
            flow.restore(before);
        }
        // Without it there must be enough others.
        const Hosts passed = passed_kinds | bit_of(kind_[v]);
        Hosts others = 0;
        for (Node32 w = v + 1; w < hosts_; ++w)
            if ((informed & bit_of(w)) == 0 && (passed & bit_of(kind_[w])) == 0) others |= bit_of(w);
        const bool enough = rank_with(flow, others) == rank;
        flow.restore(before);
        return enough && try_bases(flow, informed, v + 1, chosen, passed, rank, left);
    }

    const Machine& machine_;
    Node32 hosts_;
    Hosts all_;
    const std::vector<Automorphism>& symmetry_;
    const Stop& stop_;
    std::uint64_t most_sends_ = 1;
    std::vector<Node32> kind_;                       ///< by host: the lowest that is alike
    std::vector<RoundFlow> flows_;                   ///< by the number of rounds left
    std::vector<std::unordered_set<Hosts>> failed_;  ///< by the number of rounds left
    std::vector<Hosts> way_;                         ///< the receivers, the last round first
    bool stopped_ = false;
};

/// Returns all arguments for a broadcast from one host; from several hosts that of fan-out.
std::vector<Argument> bounds_by_flows(const Machine& machine, const std::vector<NodeId>& sources) {
    if (sources.size() == 1) {
        std::vector<Argument> bounds =
            lower_bounds(machine, Collective::broadcast(sources.front(), 1))[Quantity::rounds].arguments;
        std::ranges::stable_sort(bounds, std::ranges::greater(), &Argument::value);
        if (!bounds.empty()) return bounds;
    }
    std::uint64_t most = 1;
    for (NodeId v = 0; v < machine.topology->nodes(); ++v) most = std::max<std::uint64_t>(most, machine.sends_of(v));
    double rounds = 0;
    for (std::uint64_t reached = sources.size(); reached < machine.topology->nodes(); reached += reached * most)
        ++rounds;
    return {{"fan-out", rounds, fmt::format("In a round the number of informed nodes grows at most {}-fold.", most + 1),
             "Lemma 1"}};
}

std::vector<Automorphism> symmetry_of(const Machine& machine) {
    constexpr NodeId wires_max = 256;
    const Topology& hosts = *machine.topology;
    if (hosts.wires().nodes() > wires_max) return {};
    std::vector<Automorphism> found = Symmetry(Graph(hosts.wires())).automorphisms();
    std::erase_if(found, [&](const Automorphism& image) {
        return !keeps_capacities(hosts, image) || !keeps_limits(machine, image);
    });
    return found;
}

}  // namespace

bool keeps_capacities(const Topology& hosts, std::span<const Node32> image) {
    const Topology& wires = hosts.wires();
    for (NodeId v = 0; v < wires.nodes(); ++v) {
        if ((image[v] < hosts.nodes()) != (v < hosts.nodes())) return false;
        bool same = true;
        for_each_neighbour(wires, v, [&](NodeId w, Port port) {
            const Port other = wires.port_to(image[v], image[w]);
            same = same && other != no_port && wires.capacity(v, port) == wires.capacity(image[v], other);
        });
        if (!same) return false;
    }
    return true;
}

Found fewest_rounds_by_flows(const Machine& machine, const std::vector<NodeId>& sources, const SearchOptions& options,
                             std::vector<RoutedCall>& calls) {
    const auto hosts = static_cast<Node32>(machine.topology->nodes());
    const FlowClock::time_point start = FlowClock::now();
    const auto seconds = [&] { return std::chrono::duration<double>(FlowClock::now() - start).count(); };
    std::string at_work = "lower bounds";
    const Stop stop = [&] {
        if (options.progress) options.progress(at_work);
        return (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) ||
               (options.seconds && seconds() > *options.seconds);
    };
    Found found;
    found.bounds = bounds_by_flows(machine, sources);
    found.bound = found.least = static_cast<Round>(found.bounds.front().value);
    at_work = "plans of rounds";
    const std::vector<Node32> from(sources.begin(), sources.end());
    calls = planning::plan_by_flows(machine, from, found.bound, [] { return false; });
    found.most = calls.empty() ? 0 : calls.back().call.round;
    found.found_by = "layered";
    std::optional<std::vector<Automorphism>> symmetry;
    Hosts informed = 0;
    while (!found.exact() && !options.only_heuristics && !stop()) {
        if (hosts > flow_search_nodes_max)
            throw DoesNotFit(
                fmt::format("broadcast takes between {} and {} rounds on {}; searches through switches have "
                            "at most {} hosts, and it has {}",
                            found.least, found.most, machine.topology->spec(), flow_search_nodes_max, hosts));
        if (!symmetry) symmetry = symmetry_of(machine);
        const Round rounds = found.least;
        at_work = fmt::format("between {} and {}; is there a schedule of {}?", found.least, found.most,
                              counted(rounds, "round"));
        const double before = seconds();
        std::uint64_t asked = 0;
        const Stop gives_up = [&] {
            constexpr std::uint64_t between = 256;
            ++asked;
            return (options.conflicts && asked > *options.conflicts) || (asked % between == 0 && stop());
        };
        FlowSearch search(machine, rounds, *symmetry, gives_up);
        informed = 0;
        for (const Node32 v : from) informed |= bit_of(v);
        found.attempts.push_back({rounds});
        Attempt& now = found.attempts.back();
        const bool solved = search.solve(informed, rounds);
        now.answer = solved ? Answer::yes : search.was_stopped() ? Answer::stopped : Answer::no;
        now.seconds = seconds() - before;
        if (now.answer == Answer::stopped) break;
        if (solved) {
            calls = search.calls(informed);
            found.most = rounds;
            found.found_by = "search";
        } else {
            found.least = rounds + 1;
            found.refuted_by = "search";
        }
    }
    if (found.exact()) found.proof = found.most == found.bound ? Proof::bound_met : Proof::refuted;
    found.seconds = seconds();
    return found;
}

}  // namespace kport::search
