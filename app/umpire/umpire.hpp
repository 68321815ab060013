/// @file umpire.hpp   A second opinion on a schedule: docs/model.md, section 1, word for word, and nothing else.
///
/// The auditor checks millions of messages online, with records and blocks. The umpire checks small schedules with lists and
/// sets of numbers, message by message, so that a reader can compare it with the model. The two share no line of code and no
/// type: where they agree, both are right or both misread the model.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace kport::umpire {

using Number = std::uint64_t;  ///< of a node, a port, a round, a packet
inline constexpr Number none = ~Number{0};

enum class Operation : std::uint8_t {
    broadcast,
    scatter,
    gather,
    reduce,
    allreduce,
    scan,
    exscan,
    allgather,
    alltoall,
    reduce_scatter,
    barrier,
    own,       ///< whatever Game::owned and Game::wanted say
    own_folds  ///< a reduction: Game::owned are contributions, and Game::wanted those of which a node takes the folds
};

/// Whether packets are contributions, which are combined.
[[nodiscard]] bool is_reduction(Operation operation);

/// A message along a path, in a round (from 1). Its packets have numbers, with M of each and j = 0 .. M-1: j in a
/// broadcast; j * N + the node that it is for (scatter) or from (gather, allgather); alltoall: (from * M + j) * N +
/// for. N counts hosts. In a reduction they are the contributions that the message's values sum up, each j * (N+1) + its node, where j
/// is the segment; N instead of a node is the segment's result, which sums up all (Operation::own_folds: what all who take the segment
/// take, if they take the same). A message has at most one value of a
/// segment. A reduce-scatter has N M segments: j of block b is b * M + j. The packets of a barrier are the nodes that
/// have entered.
struct Message {
    Number round;
    Number from;
    Number to;
    std::vector<Number> route;  ///< the ports by which the path leaves `from` and every node after it
    std::vector<Number> packets;
};

/// A machine, an operation, and the messages.
struct Game {
    std::vector<std::vector<Number>> neighbours;  ///< by node, by port; `none` where the node has no such port
    Number switches = 0;                          ///< the last nodes: they hand messages on, compute and hold nothing
    /// By node, by port: the messages that the link carries a round each way; empty: 1 each.
    std::vector<std::vector<Number>> capacities = {};
    Number switch_limit = none;  ///< the most messages that pass a switch a round; `none`: no limit
    Number sends = 1;            ///< that a node may start in a round; `none`: by all its ports
    Number receives = 1;         ///< that it may take in a round; as many on half duplex machines
    std::vector<std::pair<Number, Number>> limits = {};  ///< by node, where nodes differ: its sends and receives
    bool half_duplex = false;                            ///< ports: sends and receives count together
    bool half_duplex_links = false;                      ///< a link carries one direction a round
    bool pairwise = false;                               ///< a node has at most one partner a round
    bool strict_noho = false;                            ///< a packet sent in a round may come back in it
    bool wormhole = false;
    bool combining = true;
    Operation operation = Operation::broadcast;
    Number packets_each = 1;  ///< M
    /// The packets of each node, or block, where they differ; of an alltoall row after row, from each to each. Of the M that are
    /// numbered only so many are there. Empty: M of each.
    std::vector<Number> counts = {};
    /// Where packets differ in size, there is one at most of each: its bytes, as counts. Empty: all have packet_bytes.
    std::vector<Number> sizes = {};
    Number source = 0;
    std::vector<std::set<Number>> owned;   ///< Operation::own, own_folds: by node, its packets before the first round
    std::vector<std::set<Number>> wanted;  ///< by node, those that it must hold after the last
    std::vector<std::set<Number>> in_order =
        {};  ///< Operation::own_folds: by node, the segments that it takes in order
    /// Operation::own, own_folds: by node, whether one that owns and wants nothing may send and receive; empty: all may.
    std::vector<bool> passes_on = {};
    Number packet_bytes = 1;
    bool in_runs = false;   ///< reductions: a packet sums up consecutive nodes; other runs stay apart
    bool unfolded = false;  ///< in runs of one node each
    double startup = 1;
    double hop = 0;
    double byte = 0;
    /// Factors on hop and byte, by node, by port; empty: all 1. They are those of a link from either of its ends.
    std::vector<std::vector<std::pair<double, double>>> prices = {};
    std::vector<Message> messages;  ///< in any order; their nodes are in `neighbours`
    std::set<Number> silent;        ///< rounds that programs let pass on purpose

    /// The nodes that compute: N of every formula. They come first.
    [[nodiscard]] Number hosts() const { return neighbours.size() - switches; }
    [[nodiscard]] bool is_switch(Number v) const { return v >= hosts(); }
    /// Returns how many messages the link of v by this port carries a round each way; v has the port.
    [[nodiscard]] Number capacity(Number v, Number port) const { return capacities.empty() ? 1 : capacities[v][port]; }
    /// Returns how many messages the links of v carry together: its degree where all carry one.
    [[nodiscard]] Number width(Number v) const;
};

enum class Rule : std::uint8_t {
    path,
    end,  ///< a message begins or ends at a switch
    channel,
    link,
    ports,
    partners,
    combining,
    holding,
    parting,
    order,
    nodup,
    noho,
    idle_round,
    relay,
    delivery
};

/// A broken rule. The node is: the sender if a path, an end, a bundle, a packet that is not held or an inseparable contribution
/// is wrong; the node that exceeds its ports, or has several partners; the sender of a value that is folded out of order; the node that a channel leaves; the lower
/// numbered end of a link; the switch that more pass than its limit (`channel`); the node that passes on and may not; the receiver of something that comes again or comes back; the node that lacks something at
/// the end (in the last round). `none` if there is no node or packet to name.
struct Finding {
    Rule rule;
    Number round;
    Number node;
    Number packet;

    auto operator<=>(const Finding&) const = default;
};

struct Opinion {
    std::set<Finding> findings;
    std::set<std::pair<Number, Number>> undelivered;  ///< (node, packet) promised and not held
    Number rounds = 0;
    Number work = 0;      ///< hops
    Number path_sum = 0;  ///< hops
    Number volume = 0;    ///< bytes
    double latency = 0;
};

/// `stops` is called in every round, and for every node at the end, to ask whether to give up; the opinion is then
/// invalid.
///
/// Callers   any thread.
/// Cost      O((packets in messages + rounds * N) * log); holds every packet of every node one by one, so it is for small
///           machines.
[[nodiscard]] Opinion judge(const Game& game, const std::function<bool()>& stops = {});

/// A send as requested by a program.
struct Send {
    Number asked;  ///< the round of the request
    Number from;
    Number to;
    std::vector<Number> route;  ///< as in a Message; empty: adaptive routing chooses it
    Number declaration = none;  ///< sends of a node with equal numbers were declared to belong to the round `asked`
};

/// The outcome for the sends.
struct Arbitration {
    std::vector<Number> moved;                ///< by send: the round in which it moves
    std::vector<std::vector<Number>> routes;  ///< by send: its route, or the one that was chosen
    /// What the strict policy must report, by round and sender: for each message that would have to wait, the sender of the
    /// message in its way; `none` for a declaration that exceeds its ports, the partner for one that needs two.
    std::map<std::pair<Number, Number>, std::vector<Number>> waits;
};

/// Plays the sends under the queue policy on the machine of a game, whose messages are ignored. The sends of a node are
/// in the order of their requests. The strict policy has the same moves.
///
/// `stops` as in judge().  Cost  O(rounds * (N + claims * (log + path length))): for small machines.
[[nodiscard]] Arbitration arbitrate(const Game& machine, const std::vector<Send>& sends,
                                    const std::function<bool()>& stops = {});

}  // namespace kport::umpire
