/// @file fluid.cpp   A lower bound by weights of sends, receipts and channels: the dual of packets that flow as fluids.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/search/question.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::search {
namespace {

constexpr NodeId fluid_nodes_max = 32;
constexpr double largest_weight = 1 << 20;
constexpr Node32 tree_nodes_max = 10;  // trees to several receivers are found over all sets of nodes

/// Packets that have the same owner and the same receivers.
struct Flow {
    Node32 owner;
    std::vector<Node32> receivers;
    std::uint64_t packets;
};

/// The sends of each node, its receipts, and the channels, each with what it offers in a round. With half duplex a node's sends and
/// receipts are one resource, as the two channels of a half link.
///
/// A message from u to v takes one unit of u's sends, of v's receipts, and of the channel. Whatever integer weights these have, no
/// schedule is shorter than the weight of the lightest trees of all packets over the weight that a round offers.
class Weights {
  public:
    explicit Weights(const Question& question) : graph_(*question.machine.topology) {
        const Machine& machine = question.machine;
        std::map<std::pair<Node32, Node32>, std::size_t> links;
        for (Node32 v = 0; v < graph_.nodes(); ++v) {
            sends_.push_back(add(question.sends_of(v)));
            receipts_.push_back(question.shares_ports(v) ? sends_[v] : add(question.receives_of(v)));
        }
        for (Node32 u = 0; u < graph_.nodes(); ++u)
            for (const Node32 v : graph_.neighbours(u)) {
                const auto reverse = links.find({v, u});
                const bool is_shared = machine.links == Duplex::half && reverse != links.end();
                const std::size_t channel = is_shared ? reverse->second : add(question.capacity(u, v));
                links[{u, v}] = channel;
                hops_.push_back({u, v, {sends_[u], receipts_[v], channel}});
            }
        const std::vector<NeededPacket> packets = packets_needed(question);
        have_one_owner_ = have_one_owner(packets);
        if (!have_one_owner_) return;
        for (const NeededPacket& packet : packets) {
            const Node32 owner = packet.owners.front();
            const bool is_alike =
                !flows_.empty() && flows_.back().owner == owner && flows_.back().receivers == packet.receivers;
            if (is_alike)
                ++flows_.back().packets;
            else
                flows_.push_back({owner, packet.receivers, 1});
        }
    }

    [[nodiscard]] bool are_known() const {
        if (!have_one_owner_ || std::ranges::find(offered_, 0) != offered_.end()) return false;
        return graph_.nodes() <= tree_nodes_max ||
               std::ranges::all_of(flows_, [](const Flow& flow) { return flow.receivers.size() == 1; });
    }

    /// Returns the best bound that is found, and keeps the smallest weights that prove it. In each step the resource that the lightest
    /// trees use most gets a larger weight (Plotkin, Shmoys, Tardos 1995).
    [[nodiscard]] std::uint64_t rounds() {
        constexpr int steps = 240;
        constexpr int steps_between = 40;
        constexpr double finer = 0.6;
        double step = 0.4;
        std::uint64_t best = 0;
        std::vector<double> best_weight;
        std::vector<double> weight(offered_.size());
        for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = 1.0 / static_cast<double>(offered_[i]);
        for (int i = 1; i <= steps; ++i) {
            if (i % steps_between == 0) step *= finer;
            take(weight, largest_weight);
            if (const std::uint64_t now = bound(); now > best) {
                best = now;
                best_weight = weight;
            }
            double most = 0;
            for (std::size_t r = 0; r < load_.size(); ++r) most = std::max(most, load_of(r));
            for (std::size_t r = 0; r < load_.size(); ++r) weight[r] *= 1 - step + step * load_of(r) / most;
        }
        constexpr double simple_weights_max = 32;
        for (double simple = 1; simple <= simple_weights_max; ++simple) {
            take(best_weight, simple);
            if (bound() == best) return best;
        }
        take(best_weight, largest_weight);
        return bound();
    }
    /// The proof of the bound, with its numbers.
    [[nodiscard]] std::string why() const {
        std::string channels;
        for (const Hop& hop : hops_)
            if (const std::uint64_t weight = weights_[hop.takes[2]]; weight > 0)
                channels += fmt::format(", {} of channel {}-{}", weight, hop.from, hop.to);
        return fmt::format(
            "Give weights to sends of nodes 0, 1, .. ({}) and receipts ({}){}: the packets, each over the lightest "
            "paths, "
            "weigh {} together, and a round carries {}.",
            listed(sends_), listed(receipts_), channels, needed_, offered());
    }

  private:
    struct Hop {
        Node32 from;
        Node32 to;
        std::size_t takes[3];
    };

    std::size_t add(std::uint64_t offered) {
        offered_.push_back(offered);
        return offered_.size() - 1;
    }
    [[nodiscard]] double load_of(std::size_t r) const {
        return static_cast<double>(load_[r]) / static_cast<double>(offered_[r]);
    }
    [[nodiscard]] std::uint64_t offered() const {
        return std::inner_product(weights_.begin(), weights_.end(), offered_.begin(), std::uint64_t{0});
    }
    [[nodiscard]] std::string listed(const std::vector<std::size_t>& resources) const {
        std::string list;
        for (const std::size_t r : resources) list += fmt::format("{}{}", list.empty() ? "" : " ", weights_[r]);
        return list;
    }
    /// Integer weights in proportion, of which the heaviest is `heaviest_of_all`.
    void take(std::vector<double>& weight, double heaviest_of_all) {
        const double heaviest = *std::ranges::max_element(weight);
        weights_.resize(weight.size());
        for (std::size_t r = 0; r < weight.size(); ++r) {
            weight[r] /= heaviest;
            weights_[r] = static_cast<std::uint64_t>(std::llround(weight[r] * heaviest_of_all));
        }
    }
    [[nodiscard]] std::uint64_t weight_of(const Hop& hop) const {
        return weights_[hop.takes[0]] + weights_[hop.takes[1]] + weights_[hop.takes[2]];
    }

    /// The rounds that the weights prove; loads what the lightest trees take.
    [[nodiscard]] std::uint64_t bound() {
        load_.assign(offered_.size(), 0);
        needed_ = 0;
        for (const Flow& flow : flows_)
            needed_ += flow.packets * (flow.receivers.size() == 1 ? add_path(flow) : add_tree(flow));
        return (needed_ + offered() - 1) / offered();
    }
    void add_load(const Hop& hop, const Flow& flow) {
        for (const std::size_t r : hop.takes) load_[r] += flow.packets;
    }
    std::uint64_t add_path(const Flow& flow) {
        constexpr std::uint64_t far = std::numeric_limits<std::uint64_t>::max() / 2;
        std::vector<std::uint64_t> weight(graph_.nodes(), far);
        std::vector<const Hop*> last(graph_.nodes(), nullptr);
        weight[flow.owner] = 0;
        for (bool is_new = true; is_new;) {
            is_new = false;
            for (const Hop& hop : hops_) {
                if (weight[hop.from] + weight_of(hop) >= weight[hop.to]) continue;
                weight[hop.to] = weight[hop.from] + weight_of(hop);
                last[hop.to] = &hop;
                is_new = true;
            }
        }
        const Node32 receiver = flow.receivers.front();
        for (Node32 v = receiver; v != flow.owner; v = last[v]->from) add_load(*last[v], flow);
        return weight[receiver];
    }
    /// The lightest tree that has reached each set of nodes, a node more at a time.
    std::uint64_t add_tree(const Flow& flow) {
        constexpr std::uint64_t far = std::numeric_limits<std::uint64_t>::max() / 2;
        const std::size_t sets = std::size_t{1} << graph_.nodes();
        std::size_t receivers = 0;
        for (const Node32 v : flow.receivers) receivers |= std::size_t{1} << v;
        std::vector<std::uint64_t> weight(sets, far);
        std::vector<const Hop*> last(sets, nullptr);
        const std::size_t first = std::size_t{1} << flow.owner;
        weight[first] = 0;
        std::size_t lightest = 0;
        for (std::size_t set = first; set < sets; ++set) {
            if (weight[set] == far) continue;
            if ((set & receivers) == receivers && (lightest == 0 || weight[set] < weight[lightest])) lightest = set;
            for (const Hop& hop : hops_) {
                const std::size_t more = set | std::size_t{1} << hop.to;
                if ((set >> hop.from & 1) == 0 || more == set || weight[set] + weight_of(hop) >= weight[more]) continue;
                weight[more] = weight[set] + weight_of(hop);
                last[more] = &hop;
            }
        }
        for (std::size_t set = lightest; set != first; set &= ~(std::size_t{1} << last[set]->to))
            add_load(*last[set], flow);
        return weight[lightest];
    }

    Graph graph_;
    std::vector<std::uint64_t> offered_;  ///< by resource, in a round
    std::vector<std::size_t> sends_;      ///< by node, its resource
    std::vector<std::size_t> receipts_;
    std::vector<Hop> hops_;
    bool have_one_owner_ = true;
    std::vector<Flow> flows_;
    std::vector<std::uint64_t> weights_;  ///< by resource
    std::vector<std::uint64_t> load_;     ///< by resource, of the lightest trees
    std::uint64_t needed_ = 0;            ///< the weight of these
};

}  // namespace

std::vector<Argument> fluid_of(const Question& question) {
    if (question.bundles() || question.collective.folds() || question.nodes() > fluid_nodes_max) return {};
    Weights weights(question);
    if (!weights.are_known()) return {};
    const auto rounds = static_cast<double>(weights.rounds());
    return {{"packets as fluids", rounds, weights.why(), "duality of linear programs"}};
}

}  // namespace kport::search
