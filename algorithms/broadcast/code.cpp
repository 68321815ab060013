/// @file code.cpp   Broadcast with all ports through wormhole paths: the informed nodes are a code (model.md section 4.4).
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/cosets.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// In each round every informed node sends along the same routes, which lead from it to the next nodes of the code.
struct CodePlan {
    std::vector<Cosets::Routes> rounds = {};
};

constexpr NodeId planned_nodes_max = NodeId{1} << 20;  // takes about a second
constexpr NodeId searched_nodes_max = NodeId{1} << 12;

/// A basis of the code C whose words' columns add up to 0. Column j is (j mod (2^k - 1)) + 1, a word of k bits; the
/// first column with one bit is the pivot of that bit.
struct Code {
    std::vector<NodeId> basis;
    std::vector<NodeId> pivots;

    Code(unsigned n, unsigned k) {
        const auto column = [&](unsigned j) { return j % ((1U << k) - 1) + 1; };
        for (unsigned i = 0; i < k; ++i) pivots.push_back(NodeId{1} << ((1U << i) - 1));
        for (unsigned j = 0; j < n; ++j) {
            NodeId word = NodeId{1} << j;
            if (std::ranges::find(pivots, word) != pivots.end()) continue;
            for (unsigned i = 0; i < k; ++i)
                if ((column(j) >> i & 1) != 0) word ^= pivots[i];
            basis.push_back(word);
        }
    }
};

/// Plans k = floor(log2(n + 1)) vectors a round, first those of a code such that every word is at most one bit from a
/// code word, so that the last round crosses one link.
std::optional<CodePlan> planned_on_cube(const Hypercube& cube) {
    const auto n = static_cast<unsigned>(cube.dimensions());
    const unsigned k = static_cast<unsigned>(std::bit_width(n + 1)) - 1;
    if (n == 0) return CodePlan();
    const Code code(n, k);
    std::vector<std::vector<NodeId>> batches;
    for (std::size_t i = 0; i < code.basis.size(); i += k)
        batches.emplace_back(code.basis.begin() + static_cast<std::ptrdiff_t>(i),
                             code.basis.begin() + static_cast<std::ptrdiff_t>(std::min(i + k, code.basis.size())));
    batches.push_back(code.pivots);
    const NodeGroup group(cube);
    std::vector<NodeId> informed{0};
    CodePlan plan;
    for (const std::vector<NodeId>& batch : batches) {
        const Cosets cosets(group, informed);
        std::vector<NodeId> next = informed;
        for (const NodeId vector : batch) next = group.extended(next, vector);
        std::set<std::uint32_t> to;
        for (const NodeId v : next) to.insert(cosets.coset(v));
        to.erase(0);
        auto routes = cosets.disjoint_routes(std::vector<std::uint32_t>(to.begin(), to.end()));
        if (!routes) return std::nullopt;
        plan.rounds.push_back(std::move(*routes));
        informed = std::move(next);
    }
    return plan;
}

/// A search for a chain of subgroups, each of index at most degree + 1 in the next, with routes for each step.
class ChainSearch {
  public:
    explicit ChainSearch(const Grid& torus) : group_(torus), factor_max_(torus.max_degree() + 1) {}

    /// Returns a plan with the fewest rounds of such a chain; nothing if there is no chain.
    [[nodiscard]] std::optional<CodePlan> plan() {
        const NodeId nodes = group_.graph().nodes();
        unsigned least = 0;
        for (NodeId reached = 1; reached < nodes; reached *= factor_max_) ++least;
        for (unsigned rounds = least; rounds <= static_cast<unsigned>(std::bit_width(nodes)); ++rounds)
            if (extend({0}, rounds)) return std::move(plan_);
        return std::nullopt;
    }

  private:
    /// Whether `rounds` more rounds inform all nodes, starting from an informed subgroup.
    bool extend(const std::vector<NodeId>& informed, unsigned rounds) {
        const NodeId left = group_.graph().nodes() / informed.size();
        if (left == 1) return true;
        if (rounds == 0 || tries_ == 0) return false;
        NodeId later = 1;
        for (unsigned i = 1; i < rounds; ++i) later *= factor_max_;
        const Cosets cosets(group_, informed);
        for (NodeId index = std::min(left, factor_max_); index >= 2 && index * later >= left; --index) {
            if (left % index != 0) continue;
            for (const std::vector<NodeId>& next : subgroups(cosets, informed, index)) {
                if (tries_ == 0) return false;
                --tries_;
                if (inform(cosets, next, informed.size())) {
                    if (extend(next, rounds - 1)) return true;
                    plan_.rounds.pop_back();
                }
            }
        }
        return false;
    }

    bool inform(const Cosets& cosets, const std::vector<NodeId>& next, std::size_t informed) {
        std::vector<std::uint32_t> to;  // the informed ones first, then coset by coset
        for (std::size_t i = informed; i < next.size(); i += informed) to.push_back(cosets.coset(next[i]));
        auto routes = cosets.disjoint_routes(to);
        if (routes) plan_.rounds.push_back(std::move(*routes));
        return routes.has_value();
    }

    /// Returns the subgroups in which the informed one has that index, generated by one or two more nodes.
    [[nodiscard]] std::vector<std::vector<NodeId>> subgroups(const Cosets& cosets, const std::vector<NodeId>& informed,
                                                             NodeId index) const {
        std::vector<std::vector<NodeId>> found;
        std::set<std::set<std::uint32_t>> known;
        const auto keep = [&](std::vector<NodeId> next) {
            std::set<std::uint32_t> members;
            for (std::size_t i = 0; i < next.size(); i += informed.size()) members.insert(cosets.coset(next[i]));
            if (known.insert(members).second) found.push_back(std::move(next));
        };
        std::vector<std::pair<NodeId, NodeId>> by_order;  // orders that divide the index
        for (std::uint32_t coset = 1; coset < cosets.count(); ++coset) {
            const NodeId v = cosets.lowest(coset);
            NodeId order = 1;
            for (NodeId sum = v; cosets.coset(sum) != 0 && order <= index; sum = group_.sum(sum, v)) ++order;
            if (order == index) keep(group_.extended(informed, v));
            if (order < index && index % order == 0) by_order.emplace_back(order, v);
        }
        for (const auto& [order, v] : by_order) {
            const std::vector<NodeId> first = group_.extended(informed, v);
            for (const auto& [other, w] : by_order)
                if (order <= other && order * other == index)
                    if (std::vector<NodeId> both = group_.extended(first, w); both.size() == informed.size() * index)
                        keep(std::move(both));
        }
        return found;
    }

    NodeGroup group_;
    NodeId factor_max_;
    CodePlan plan_;
    unsigned tries_ = 1000;  ///< left
};

std::optional<CodePlan> planned(const Machine& machine) {
    if (const Hypercube* cube = as_hypercube(machine)) return planned_on_cube(*cube);
    return ChainSearch(*as_grid(machine)).plan();
}

NodeId end_of(const Topology& graph, NodeId v, const std::vector<Port>& route) {
    for (const Port port : route) v = graph.across(v, port).node;
    return v;
}

/// One-to-all broadcast through all ports along paths that share no channel.
///
/// Machine   hypercube; torus or ring whose sides have prime factors of at most the degree plus 1; wormhole, all ports
/// Gives     every node holds the source's packet
/// Costs     hypercube: rounds ceil(n / floor(log2(n + 1))); torus: usually ceil(log_{2q+1} N)
/// Idea      The informed nodes are the source plus a subgroup, at last the whole group. Modulo the subgroup the graph has as
///           many ports at each node; routes that share no channel there share none when all informed nodes take them at once.
/// Source    steps on hypercubes: Ho, Kao, IEEE TPDS 1995; model.md section 4.4, construction derived for kport
Program broadcast_by_code(Node& self, const CodePlan& plan, NodeId source, Cargo message) {
    Round round = 1;
    if (self.id() != source) {
        const Arrival arrival = co_await self.receive();
        round = arrival.round + 1;
    }
    for (; round <= plan.rounds.size(); ++round) {
        co_await self.until(round);
        for (const std::vector<Port>& route : plan.rounds[round - 1])
            co_await self.send_along(end_of(self.topology(), self.id(), route), route, message);
    }
}

std::optional<std::string> needs_code(const Machine& machine) {
    const NodeId nodes = machine.topology->nodes();
    if (as_hypercube(machine) != nullptr)
        return unless(nodes <= planned_nodes_max, "is planned for hypercubes of at most 2^20 nodes");
    const Grid* torus = as_grid(machine);
    if (torus == nullptr || !torus->wraps()) return "needs a hypercube, torus or ring";
    if (nodes > searched_nodes_max) return "is planned for tori of at most 4096 nodes";
    const NodeId factor_max = torus->max_degree() + 1;
    for (int i = 0; i < torus->dimensions(); ++i) {
        NodeId side = torus->side(i);
        for (NodeId p = 2; p <= factor_max; ++p)
            while (side % p == 0) side /= p;
        if (side > 1) return fmt::format("needs sides without a prime factor above {}", factor_max);
    }
    return unless(planned(machine).has_value(), "found no routes here that share no channel");
}

std::optional<std::string> misfit_broadcast_code(const Machine& machine, const Collective&,
                                                 const AlgorithmOptions& options) {
    if (auto why = first_of({needs_wh(machine), needs_all_ports(machine), takes_no_options(options)})) return why;
    return needs_code(machine);
}

Start make_broadcast_code(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId source = collective.root;
    const auto plan = std::make_shared<const CodePlan>(planned(machine).value());
    return {[plan, source, copies = Copies(machine, collective)](Node& self) {
                return broadcast_by_code(self, *plan, source, copies.message());
            },
            {source}};
}

ExpectedCost expect_broadcast_code(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    constexpr NodeId counted_nodes_max = NodeId{1} << 14;
    const NodeId nodes = machine.topology->nodes();
    ExpectedCost cost;
    if (const Hypercube* cube = as_hypercube(machine); cube != nullptr && nodes > 1) {
        const auto n = static_cast<unsigned>(cube->dimensions());
        const unsigned k = static_cast<unsigned>(std::bit_width(n + 1)) - 1;
        cost.rounds = cost.volume = (n + k - 1) / k;
        cost.derivation.push_back(
            fmt::format("each round multiplies the informed nodes by up to 2^{}: ceil({} / {}) = {}", k, n, k,
                        counted(*cost.rounds, "round")));
    }
    if (nodes > counted_nodes_max) return cost;
    std::uint64_t informed = 1;
    cost.work = cost.path_sum = 0;
    const CodePlan plan = planned(machine).value();
    for (const Cosets::Routes& routes : plan.rounds) {
        std::uint64_t longest = 0;
        for (const std::vector<Port>& route : routes) {
            *cost.work += informed * route.size();
            longest = std::max<std::uint64_t>(longest, route.size());
        }
        *cost.path_sum += longest;
        informed *= routes.size() + 1;
        cost.derivation.push_back(
            fmt::format("{} route{} from each informed node, of at most {} link{}: then {} know it", routes.size(),
                        routes.size() == 1 ? "" : "s", longest, longest == 1 ? "" : "s", informed));
    }
    cost.rounds = cost.volume = plan.rounds.size();
    cost.derivation.push_back(
        fmt::format("{}, path sum {}, work {}", counted(*cost.rounds, "round"), *cost.path_sum, *cost.work));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_code() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "code",
            .rule = "the informed nodes are a code, a subgroup of all; each sends along the same routes to the next "
                    "ones, at "
                    "last over one link",
            .needs = "hypercube; torus, ring with small prime factors; WH, all ports, not pairwise",
            .cost = "hypercube ceil(n / floor(log2(n+1))) rounds; torus usually ceil(log_{2q+1} N); work and path sum "
                    "as planned",
            .source = "Ho, Kao 1995; model section 4.4",
            .misfit = misfit_broadcast_code,
            .make = make_broadcast_code,
            .expect = expect_broadcast_code,
            .table_bytes_per_node = 16,
        },
        Operation::reduce);
}

}  // namespace kport
