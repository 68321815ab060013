/// @file virtual_node.hpp   A node as its own program sees it: its ports, and what arrived.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>

#include "emulator/base/random.hpp"
#include "emulator/base/types.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/arrival.hpp"
#include "emulator/node/arrivals.hpp"
#include "emulator/node/bundle.hpp"
#include "emulator/node/host.hpp"
#include "emulator/node/program.hpp"
#include "emulator/node/send_request.hpp"
#include "emulator/node/waiting.hpp"
#include "emulator/schedule/collective.hpp"

namespace KPORT_PUBLIC kport {

struct Strands;

/// One virtual node, as its own program sees it. No shared state and no clock but the round.
///
/// Each awaitable stands alone in its statement (see Packet for the reason):
///
///     co_await self.send(port, packets);             // or Data(x); sequential: in this round if a send port is free, else later
///     co_await self.pass(port, packets);             // the same, and this node needs them no more
///     co_await self.send_together(sends);            // all in one round, if the ports suffice
///     const Arrival arrival = co_await self.receive();
///     co_await self.next_round();
///
/// Strands   A node may run several programs at once, its strands (spawn(), when_all()), which share its ports and its
///           mail. They take turns, who has waited longest first. In a round, first those go on sending that wait for a
///           port, in the order in which they asked; who has started a part of its sends then stands behind the others.
///           Then the strands that can go on are resumed one after the other. Of two that wait for the same message the
///           one gets it that asked first. So what a node does follows from its programs and its mail alone.
///           A program without strands costs what it would cost if there were none; of s strands one is found in O(s).
///
/// Callers   the node's own program only.
class Node {
  public:
    Node(Host& host, NodeId id) : host_(&host), id_(static_cast<std::uint32_t>(id)) {}
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    [[nodiscard]] NodeId id() const { return id_; }
    /// Its clock: the round in which the program is.
    [[nodiscard]] Round round() const {
        require_own();
        asked_ |= Asked::the_round;
        return host_->round();
    }
    [[nodiscard]] const Machine& machine() const { return host_->machine(); }
    [[nodiscard]] const Topology& topology() const { return *machine().topology; }
    /// What the run does: its operation, root, and M.
    [[nodiscard]] const Collective& collective() const { return host_->collective(); }
    /// N.
    [[nodiscard]] NodeId nodes() const { return topology().nodes(); }
    /// Links of this node.
    [[nodiscard]] Port degree() const { return topology().degree(id()); }
    /// Sends that this node may start in a round: the smaller of k and its degree.
    [[nodiscard]] Port port_limit() const { return machine().ports_of(id()); }
    /// The node at the other end of the link by a port; no_node where there is no such link.
    [[nodiscard]] NodeId neighbour(Port port) const {
        return port < topology().ports() ? topology().across(id(), port).node : no_node;
    }
    /// This node's stream of random numbers, from its start at each call: `Dice dice = self.random();` keeps it. It
    /// follows from the job's seed and the node's number alone, whatever the engine and the number of threads.
    [[nodiscard]] Dice random() const { return Dice(random_word(host_->seed(), ~std::uint64_t{id_}, 0)); }

    class Send;
    class SendTogether;
    class Receive;
    class ReceiveOneOf;
    class NextRound;
    class Join;

    /// Sequential send by a port: a message to the neighbour there. It carries a packet, a set of packets that the node
    /// holds, a value, or contents; they must live until the await is over (a temporary in the statement does).
    [[nodiscard]] Send send(Port port, Cargo cargo);
    /// Sequential send to a node: wormhole machines take the topology's route, store-and-forward ones its only link.
    [[nodiscard]] Send send_to(NodeId to, Cargo cargo);
    /// Sequential send to a node along the given ports (wormhole). The ports must live until the await is over.
    [[nodiscard]] Send send_along(NodeId to, std::span<const Port> route, Cargo cargo);
    /// send() of packets that the node then needs no more: their memory is used again, and the machine charges the same. The
    /// node does not hold them any longer: to send them again is a breach.
    [[nodiscard]] Send pass(Port port, const PacketSet& packets);
    [[nodiscard]] Send pass_to(NodeId to, const PacketSet& packets);
    [[nodiscard]] Send pass_along(NodeId to, std::span<const Port> route, const PacketSet& packets);
    /// Sends that belong to one round, for machines with several ports:
    ///
    ///     const std::array sends{SendRequest(0, down), SendRequest(2, up)};
    ///     co_await self.send_together(sends);
    ///
    /// The order of the requests is the order in which ports are given to them; each may name a port, a node, or a node and a
    /// route (SendRequest). With none it does not wait. If the ports do not suffice, or two requests leave by one port, a queueing
    /// machine spreads the sends over rounds in that order, and a strict one reports the breach would_wait_send too.
    ///
    /// Lifetime  the requests, and what they name, must live until the await is over.
    /// Errors    as send(): std::out_of_range for a port or a node that is not there, std::invalid_argument for a cargo that is none
    ///           of the operation's, when its turn comes.
    /// Cost      O(requests) in a round.
    [[nodiscard]] SendTogether send_together(std::span<const SendRequest> sends);
    /// The earliest message that arrived; of one round, the one from the lowest sender.
    [[nodiscard]] Receive receive();
    /// By one port. Throws std::invalid_argument for no_port.
    [[nodiscard]] Receive receive(Port port);
    /// By one of several ports. The ports must live until the await is over; with none it throws
    /// std::invalid_argument.
    [[nodiscard]] ReceiveOneOf receive(std::span<const Port> ports);
    /// Of one sender, by any port.
    [[nodiscard]] Receive receive_from(NodeId sender);
    /// Of one of several senders, as receive(ports).
    [[nodiscard]] ReceiveOneOf receive_from(std::span<const NodeId> senders);
    /// As receive(), by a program that serves others: it may wait here for ever, which breaks no rule. The run ends when
    /// nothing moves any more.
    [[nodiscard]] Receive serve();
    [[nodiscard]] Receive serve(Port port);
    [[nodiscard]] ReceiveOneOf serve(std::span<const Port> ports);
    /// Whether a message has arrived and was not received yet: receive() would not wait.
    [[nodiscard]] bool has_arrival() {
        require_own();
        asked_ |= Asked::whether_any;
        return !arrivals_.empty();
    }
    /// Whether one has arrived by this port.
    [[nodiscard]] bool has_arrival(Port port) {
        require_own();
        asked_ |= Asked::whether_any;
        return arrivals_.has({nullptr, port, Waiting::for_message_by});
    }
    /// Goes on in the next round.
    [[nodiscard]] NextRound next_round();
    /// Goes on in the given round, or at once if that is not ahead. Rounds without a message in between pass on purpose, as
    /// with next_round(). With global rounds O(log nodes), however many they are.
    [[nodiscard]] NextRound until(Round round);

    /// Runs the program as a further strand of this node: it begins, in this round, once the strands before it wait. The node
    /// ends with its last strand. What the program refers to must live as long as it runs; an exception that leaves it ends
    /// the run, with this node and the round. Throws std::invalid_argument for one that is none.
    void spawn(Program program);
    /// Waits until all strands have ended that this one has spawned.
    [[nodiscard]] Join join();
    /// Spawns the programs, and waits until they have ended:
    ///
    ///     co_await self.when_all(along_the_row(self, ...), along_the_column(self, ...));
    template <std::same_as<Program>... Programs>
    requires(sizeof...(Programs) > 0) [[nodiscard]] Join when_all(Programs... programs);

    /// Reductions. What this node contributes, as a value of one contribution.
    [[nodiscard]] Value contribution() {
        require_own();
        return host_->contribution(*this);
    }
    /// Its contribution to some segments, as columns of row 0: cut(contribution(), segments) at the cost of these segments.
    [[nodiscard]] Value contribution(const PacketSet& segments) {
        require_own();
        return host_->contribution(*this, segments);
    }
    /// left op right, segment by segment. For an operator that is not commutative the contributions of `left` must stand before
    /// those of `right`: a breach otherwise, as is a contribution that both hold, unless the operator is idempotent and NODUP
    /// no law. Throws std::invalid_argument for values of other segments.
    [[nodiscard]] Value fold(const Value& left, const Value& right) {
        require_own();
        return host_->fold(*this, left, right);
    }
    /// Both as one value, in the order of the nodes whatever they are called here. If the operator is not commutative only
    /// neighbours are folded: the value has a partial result for each run of consecutive nodes, and as many packets.
    [[nodiscard]] Value merge(const Value& one, const Value& other) {
        require_own();
        return host_->merge(*this, one, other);
    }
    /// The partial results of a value, one for each run of consecutive nodes, each as a value, in ascending order: where values
    /// come in runs (Collective::in_runs); elsewhere the value itself. Of several segments all that have a run are in its
    /// value. O(runs log runs) and the bytes.
    [[nodiscard]] std::vector<Value> runs(const Value& value) {
        require_own();
        return host_->runs(*this, value);
    }
    /// A value that sums up all contributions, as the packet that a broadcast of the result moves (result_packet()), of each of
    /// its segments one. A breach if contributions are lacking.
    [[nodiscard]] Value whole(const Value& value) {
        require_own();
        return host_->whole(*this, value);
    }
    /// Of a value cut into segments (Collective::segments): the segments first to first + count - 1, as a value. Throws
    /// std::invalid_argument if it has not all of them.
    [[nodiscard]] Value cut(const Value& value, std::uint64_t first, std::uint64_t count) {
        require_own();
        return host_->cut(*this, value, first, count);
    }
    /// Any segments that it has, each once, as columns of row 0.
    [[nodiscard]] Value cut(const Value& value, const PacketSet& segments) {
        require_own();
        return host_->cut(*this, value, segments);
    }
    /// Values as one. Throws std::invalid_argument if two have a segment in common, or if some are results (whole()) and
    /// others not.
    template <std::same_as<Value>... Values>
    [[nodiscard]] Value concatenate(const Value& first, const Values&... others) {
        require_own();
        const std::array<const Value*, 1 + sizeof...(Values)> values{&first, &others...};
        return host_->concatenate(*this, values);
    }
    /// Of any number, at least one.
    [[nodiscard]] Value concatenate(std::span<const Value* const> values) {
        require_own();
        return host_->concatenate(*this, values);
    }
    /// The node's result of the operation.
    void result(const Value& value) {
        require_own();
        host_->result(*this, value);
    }

  private:
    friend class NodeAccess;
    friend class Program::Call;

    /// A program may use its own node alone: what it does with another's, which may even be gone, would happen to a node that does
    /// not run. Throws std::invalid_argument. In tests of this class, which run no nodes, all may be used.
    void require_own() const {
        if (running.node != this && running.node != nullptr) [[unlikely]]
            refuse_another();
    }
    [[noreturn]] static void refuse_another();

    /// Makes a program that this node's program awaits the one to be resumed next.
    void call(Program::Handle callee) { leaf_ = callee; }

    /// What a program has asked for: where that depends on which of several messages comes first, an engine without rounds
    /// cannot answer.
    struct Asked {
        enum : std::uint8_t {
            any = 1,
            by_port = 2,
            whether_any = 4,
            strands = 8,
            serves = 16,    ///< of the receive at hand: the program may wait for ever
            the_round = 32  ///< which one it is
        };
    };

    /// Strands take turns: none goes on before those that have waited for the same.
    [[nodiscard]] bool has_at_once(Waiting waiting, std::uint32_t awaited, const void* list) {
        return strands_ == nullptr && arrivals_.has({list, awaited, waiting});
    }
    void wait(Waiting waiting, std::uint32_t awaited, const void* list = nullptr) {
        list_ = list;
        awaited_ = awaited;
        waiting_ = waiting;
    }
    void wait_to_send(std::span<const SendRequest> sends) {
        wait(Waiting::to_send, static_cast<std::uint32_t>(sends.size()), sends.data());
    }
    /// Of this node, made if there are none yet.
    [[nodiscard]] Strands& strands();
    /// `group`: who waits for it (node/strands.hpp).
    void enlist(Program program, std::uint32_t group);
    [[nodiscard]] std::uint32_t new_group();
    [[noreturn]] void refuse_no_choice(Waiting waiting) const;
    [[noreturn]] void refuse_no_port() const;

    Host* host_;
    Program::Handle leaf_;  ///< the innermost program that runs for this node
    const void* list_ =
        nullptr;  ///< what the program waits for: awaited_ sends that are still to be started, ports, or nodes
    Arrivals arrivals_;
    Strands* strands_ = nullptr;  ///< of a node with several; leaf_ and what it waits for are then of the one that runs
    std::uint32_t id_;
    Round send_round_ = 0;     ///< the round that sends_ counts
    std::uint32_t sends_ = 0;  ///< sends started in send_round_
    std::uint32_t held_ = 0;   ///< send ports kept busy by claims that lost in earlier rounds
    std::uint32_t awaited_ =
        no_port;  ///< the port, the sender, the round or the group that the program waits for, or how many
    Waiting waiting_ = Waiting::nothing;
    mutable std::uint8_t asked_ = 0;  ///< bits of Asked
    bool scheduled_ = false;          ///< it stands in a list of nodes to resume
    bool holds_ = false;              ///< a message has come to it, or it is the source
};
static_assert(sizeof(void*) < 8 || sizeof(Node) == 64);  // a cache line: millions of them wait

}  // namespace kport
