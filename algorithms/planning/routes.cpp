#include "algorithms/planning/gossip.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/planning/graph.hpp"
#include "algorithms/planning/room.hpp"
#include "emulator/base/random.hpp"

namespace kport::planning {

namespace {

/// What lets a packet go first: how far it has to go, how many packets its node has to send, and a number of its own.
struct Order {
    std::uint64_t far = 1;
    std::uint64_t waiting = 1;
    std::vector<std::uint64_t> own;  ///< by packet
};

struct Travelling {
    Node32 target;
    PacketBlock block;
    Node32 at;
    std::uint64_t own;
    std::uint64_t weight = 0;
};

/// All packets, round by round.
class Routes {
  public:
    Routes(const Topology& topology, const Graph& graph, const Calling& calling,
           const std::vector<RoutedPacket>& packets, const Order& order)
        : topology_(topology), graph_(graph), room_(graph, calling), order_(order), waiting_at_(graph.nodes()),
          sent_(graph.nodes(), NodeBits(graph.nodes())) {
        for (Node32 v = 0; v < graph.nodes(); ++v) distances_.push_back(graph.distances({&v, 1}));
        for (const RoutedPacket& packet : packets) {
            packets_.push_back({packet.target, packet.block, packet.owner, order.own[packets_.size()]});
            ++waiting_at_[packet.owner];
        }
    }

    /// Returns false if it takes more rounds than asked for.
    [[nodiscard]] bool plays(Round most) {
        while (!packets_.empty()) {
            if (round_ == most) return false;
            play_round();
        }
        return true;
    }
    [[nodiscard]] Round rounds() const { return round_; }
    /// The sum over the packets of the rounds in which they arrive.
    [[nodiscard]] std::uint64_t arrivals() const { return arrivals_; }
    [[nodiscard]] Schedule schedule() { return std::move(schedule_); }

  private:
    void play_round() {
        ++round_;
        room_.clear();
        for (NodeBits& to : sent_) to.reset();
        for (Travelling& packet : packets_) packet.weight = weight_of(packet);
        std::ranges::stable_sort(packets_, std::ranges::greater(), &Travelling::weight);
        for (Travelling& packet : packets_) move(packet);
        arrivals_ +=
            round_ * std::erase_if(packets_, [](const Travelling& packet) { return packet.at == packet.target; });
    }
    [[nodiscard]] std::uint64_t weight_of(const Travelling& packet) const {
        return order_.far * distances_[packet.at][packet.target] + order_.waiting * waiting_at_[packet.at] + packet.own;
    }
    /// To the neighbour on a shortest path that has the least to send.
    void move(Travelling& packet) {
        const Node32 u = packet.at;
        Node32 best = no_node32;
        for (const Node32 v : graph_.neighbours(u)) {
            if (distances_[v][packet.target] + 1 != distances_[u][packet.target]) continue;
            if (!room_.allows(u, v) || sent_[u].test(v)) continue;
            if (best == no_node32 || waiting_at_[v] < waiting_at_[best]) best = v;
        }
        if (best == no_node32) return;
        room_.take(u, best);
        sent_[u].set(best);
        const Port port = topology_.port_to(u, best);
        schedule_.add(round_, {u, best, {&port, 1}, {&packet.block, 1}});
        --waiting_at_[u];
        if (best != packet.target) ++waiting_at_[best];
        packet.at = best;
    }

    const Topology& topology_;
    const Graph& graph_;
    Room room_;
    const Order& order_;
    std::vector<std::vector<std::uint32_t>> distances_;
    std::vector<Travelling> packets_;
    std::vector<std::uint64_t> waiting_at_;  ///< by node, how many packets it has still to send
    std::vector<NodeBits> sent_;             ///< by node, to whom in this round
    Round round_ = 0;
    std::uint64_t arrivals_ = 0;
    Schedule schedule_;
};

constexpr std::uint64_t unit = 64;

/// The first two orders look at one of the two, the next draw the packets' own numbers, of larger and larger ones.
Order drawn_order(unsigned which, std::size_t packets, std::uint64_t largest, Dice& dice) {
    if (which == 0) return {unit * unit, 1, std::vector<std::uint64_t>(packets)};
    if (which == 1) return {1, unit, std::vector<std::uint64_t>(packets)};
    Order order{unit * (1 + which % 3), which % 2 == 0 ? 0 : unit * (which % 5), std::vector<std::uint64_t>(packets)};
    constexpr unsigned sizes = 8;
    for (std::uint64_t& own : order.own) own = dice.below(largest * (1 + which % sizes) / sizes + 1);
    return order;
}
/// Another number for some packets.
Order changed(Order order, std::uint64_t largest, Dice& dice) {
    for (std::uint64_t changes = dice.between(1, 3); changes > 0; --changes)
        order.own[dice.below(order.own.size())] = dice.below(largest);
    return order;
}

}  // namespace

Schedule greedy_routes(const Topology& topology, const Graph& graph, const Calling& calling,
                       const std::vector<RoutedPacket>& packets, const Tries& tries) {
    constexpr unsigned drawn = 32;
    const std::uint64_t largest = 2 * unit * topology.diameter();
    Dice dice(1);
    Schedule best;
    Order best_order;
    Round rounds = ~Round{0};
    std::uint64_t arrivals = 0;
    for (unsigned which = 0; which < tries.most && rounds > std::max<Round>(tries.enough, 1); ++which) {
        Order order = which < drawn || which % 2 == 0 ? drawn_order(which, packets.size(), largest, dice)
                                                      : changed(best_order, largest, dice);
        Routes routes(topology, graph, calling, packets, order);
        if (!routes.plays(rounds)) continue;
        if (routes.rounds() == rounds && routes.arrivals() > arrivals) continue;
        rounds = routes.rounds();
        arrivals = routes.arrivals();
        best = routes.schedule();
        best_order = std::move(order);
    }
    return best;
}

GossipSize size_of_routes(double packets, double rounds) {
    constexpr double words_packet = 4;  // half of them still travel; each is weighed, sorted and looked at
    return {packets * rounds * words_packet};
}

}  // namespace kport::planning
