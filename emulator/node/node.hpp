/// @file node.hpp   What a node program sees: its own node, its ports, and what arrived.
#pragma once

#include <array>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "emulator/base/dice.hpp"
#include "emulator/base/types.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/bundle.hpp"
#include "emulator/node/program.hpp"
#include "emulator/schedule/collective.hpp"

namespace KPORT_PUBLIC kport {

/// A message that arrived in an earlier round.
class Arrival {
  public:
    Arrival(NodeId the_sender, Port the_port, Round the_round, Packet packet)
        : from(the_sender), port(the_port), round(the_round), packet_or_nodes_(packet.id()) {}
    /// What is no single packet: the value, or the body with the packets, on a machine of so many nodes; of none: contents.
    Arrival(NodeId the_sender, Port the_port, Round the_round, Value value, NodeId node_count)
        : from(the_sender), port(the_port), round(the_round), packet_or_nodes_(node_count), value_(std::move(value)) {}

    /// The packet that came; of several the lowest; of a reduction the lowest contribution. Its number: in an alltoall row
    /// times N plus column.
    [[nodiscard]] Packet packet() const {
        if (value_.is_element()) return Packet(value_.element().block().lowest(packet_or_nodes_));
        if (value_.body() != nullptr) return Packet(lowest_of(value_.body()->blocks(), packet_or_nodes_));
        return Packet(packet_or_nodes_);
    }
    /// The packets that came; of a reduction the contributions.
    [[nodiscard]] PacketSet packets() const { return has_contents() ? PacketSet() : value_.contributions(); }
    /// The partial result that came.
    [[nodiscard]] const Value& value() const { return value_; }

    /// Whether the message has contents (Data) instead of packets or a value.
    [[nodiscard]] bool has_contents() const { return packet_or_nodes_ == 0 && value_.body() != nullptr; }
    /// The contents; they live as long as this arrival or a copy of it, and end with the run. Throws std::invalid_argument if
    /// there are none.
    [[nodiscard]] std::span<const std::byte> bytes() const {
        if (!has_contents()) [[unlikely]]
            refuse_contents();
        return value_.body()->content();
    }
    /// The contents as what was sent. Throws std::invalid_argument if there are none, or of another size.
    template <SentAsBytes T>
    [[nodiscard]] T as() const {
        if (bytes().size() != sizeof(T)) [[unlikely]]
            refuse_size(sizeof(T));
        return from_bytes<T>(bytes().data());
    }

    NodeId from;  ///< who started the message
    Port port;    ///< the port of this node by which it came in
    Round round;  ///< the round in which it was transferred

  private:
    friend class NodeAccess;

    [[noreturn]] void refuse_contents() const;
    [[noreturn]] void refuse_size(std::size_t wanted) const;

    /// The packet; or, where a value or a body came, N: from it packets have their numbers. Of contents 0.
    std::uint64_t packet_or_nodes_;
    Value value_;
};

/// What a Cargo names and does not copy.
template <class Named>
concept NamedByCargo = std::same_as<Named, PacketSet> || std::same_as<Named, Value> || std::same_as<Named, Data>;

/// A send that a program has asked for: by a port, or to a node along a route. Trivial on purpose (see Packet), and small:
/// it stands in the frame of every program that sends.
class SendRequest {
  public:
    /// By a port, to the neighbour there.
    SendRequest(Port port, Cargo cargo) : cargo_(cargo), port_or_hops_(port) {}
    /// To a node, along the given ports; an empty route asks for the topology's own. Numbers of nodes end below `nowhere`:
    /// what is larger, no_node first of all, is as good as any node that is not there.
    SendRequest(NodeId to, std::span<const Port> route, Cargo cargo)
        : cargo_(cargo), route_(route.data()), to_(to < nowhere ? static_cast<std::uint32_t>(to) : nowhere),
          port_or_hops_(static_cast<Port>(route.size())) {}

    /// What it names must live until the await is over, and a temporary would not: `const Data data(x);` in a statement of
    /// its own.
    template <NamedByCargo Named>
    SendRequest(Port, const Named&&) = delete;
    template <NamedByCargo Named>
    SendRequest(NodeId, std::span<const Port>, const Named&&) = delete;
    template <class Route, class Any>
    requires(std::ranges::range<Route> && !std::ranges::borrowed_range<Route>) SendRequest(NodeId, Route&&, Any&&)
    = delete;

    [[nodiscard]] bool routed() const { return to_ != by_port; }
    [[nodiscard]] const Cargo& cargo() const { return cargo_; }
    /// Unless routed().
    [[nodiscard]] Port port() const { return port_or_hops_; }
    /// If routed().
    [[nodiscard]] NodeId to() const { return to_; }
    /// Whether its number is larger than any node's.
    [[nodiscard]] bool names_no_node() const { return to_ == nowhere; }
    [[nodiscard]] std::span<const Port> route() const { return {route_, port_or_hops_}; }

  private:
    static constexpr std::uint32_t by_port = 0xFFFFFFFF;
    static constexpr std::uint32_t nowhere = by_port - 1;
    Cargo cargo_;
    const Port* route_ = nullptr;
    std::uint32_t to_ = by_port;
    Port port_or_hops_;
};

class Node;

/// What an engine does for the nodes that it runs. One task at a time uses a host.
class Host {
  public:
    virtual ~Host() = default;

    /// Starts as many of the sends, in their order, as send ports and channels of the node are free in this round.
    /// Returns what is left. `together`: they were declared to belong to one round, and this is that round.
    [[nodiscard]] virtual std::span<const SendRequest> start(Node& node, std::span<const SendRequest> sends,
                                                             bool together) = 0;
    [[nodiscard]] virtual const Machine& machine() const = 0;
    [[nodiscard]] virtual const Collective& collective() const = 0;
    /// The job's.
    [[nodiscard]] virtual std::uint64_t seed() const = 0;

    /// Reductions: what the node contributes; left op right; both in the order of the nodes; all of it, as one packet; the node's
    /// result.
    [[nodiscard]] virtual Value contribution(Node& node) = 0;
    [[nodiscard]] virtual Value contribution(Node& node, const PacketSet& segments) = 0;
    [[nodiscard]] virtual Value fold(Node& node, const Value& left, const Value& right) = 0;
    [[nodiscard]] virtual Value merge(Node& node, const Value& one, const Value& other) = 0;
    [[nodiscard]] virtual Value whole(Node& node, const Value& value) = 0;
    /// So many segments of a value, from the first on; values as one.
    [[nodiscard]] virtual Value cut(Node& node, const Value& value, std::uint64_t first, std::uint64_t count) = 0;
    [[nodiscard]] virtual Value cut(Node& node, const Value& value, const PacketSet& segments) = 0;
    [[nodiscard]] virtual Value join(Node& node, std::span<const Value* const> values) = 0;
    virtual void result(Node& node, const Value& value) = 0;

    [[nodiscard]] Round round() const { return round_; }
    /// The program has received a message. Hosts without global rounds must know.
    void tell_received(Node& node, const Arrival& arrival) {
        if (has_own_clocks_) [[unlikely]]
            received(node, arrival);
    }

  protected:
    explicit Host(bool has_own_clocks = false) : has_own_clocks_(has_own_clocks) {}

    Round round_ = 0;

  private:
    virtual void received(Node&, const Arrival&) {}

    bool has_own_clocks_;
};

/// Why a program does not run.
enum class Waiting : std::uint8_t {
    nothing,                  ///< it runs, or will in this round
    to_send,                  ///< for a free send port
    for_message,              ///< for a message by any port
    for_message_by,           ///< for a message by one port
    for_message_from,         ///< for a message of one sender
    for_message_by_one_of,    ///< for a message by one of several ports
    for_message_from_one_of,  ///< for a message of one of several senders
    for_round,                ///< for a round, mostly the next
    for_strands,              ///< for strands that it has spawned to end
    in_strands                ///< of a node that has several strands: each waits for something of its own
};

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
    [[nodiscard]] Round round() const { return host_->round(); }
    [[nodiscard]] const Machine& machine() const { return host_->machine(); }
    [[nodiscard]] const Topology& topology() const { return *machine().topology; }
    /// What is to be done: its root, and M.
    [[nodiscard]] const Collective& collective() const { return host_->collective(); }
    /// N.
    [[nodiscard]] NodeId nodes() const { return topology().nodes(); }
    /// Links of this node.
    [[nodiscard]] Port degree() const { return topology().degree(id()); }
    /// Sends that this node may start in a round: the smaller of k and its degree.
    [[nodiscard]] Port ports() const { return machine().ports_of(id()); }
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
    /// The same for packets that the node then needs no more: their memory is used again, and the machine charges the same. The
    /// node does not hold them any longer: to send them again is a breach.
    [[nodiscard]] Send pass(Port port, const PacketSet& packets);
    [[nodiscard]] Send pass_to(NodeId to, const PacketSet& packets);
    [[nodiscard]] Send pass_along(NodeId to, std::span<const Port> route, const PacketSet& packets);
    /// Sends that belong to the same round. If the ports do not suffice, a queueing machine spreads them over rounds in
    /// the order given and a strict one reports a violation too. The requests must live until the await is over.
    [[nodiscard]] SendTogether send_together(std::span<const SendRequest> sends);
    /// The earliest message that arrived; of one round, the one from the lowest sender.
    [[nodiscard]] Receive receive();
    /// The same, by one port. Throws std::invalid_argument for no_port.
    [[nodiscard]] Receive receive(Port port);
    /// The same, by one of several ports. The ports must live until the await is over; with none it throws
    /// std::invalid_argument.
    [[nodiscard]] ReceiveOneOf receive(std::span<const Port> ports);
    /// The same, of one sender, by whatever port it comes.
    [[nodiscard]] Receive receive_from(NodeId sender);
    /// The same, of one of several senders, as receive(ports).
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
        return letters_ != nullptr;
    }
    /// The same, by one port.
    [[nodiscard]] bool has_arrival(Port port) {
        require_own();
        asked_ |= Asked::whether_any;
        return *awaited_letter(Waiting::for_message_by, port) != nullptr;
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
    /// The same to some segments, as columns of row 0: cut(contribution(), segments) at their cost, not at all segments'.
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
    /// The same of any segments that it has, each once, as columns of row 0.
    [[nodiscard]] Value cut(const Value& value, const PacketSet& segments) {
        require_own();
        return host_->cut(*this, value, segments);
    }
    /// Values as one. Throws std::invalid_argument if two have a segment in common, or if some are results (whole()) and
    /// others not.
    template <std::same_as<Value>... Values>
    [[nodiscard]] Value join(const Value& first, const Values&... others) {
        require_own();
        const std::array<const Value*, 1 + sizeof...(Values)> values{&first, &others...};
        return host_->join(*this, values);
    }
    /// The same of any number, at least one.
    [[nodiscard]] Value join(std::span<const Value* const> values) {
        require_own();
        return host_->join(*this, values);
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
    /// not run. Throws std::invalid_argument. Where nobody runs nodes, in tests of this class, all may be used.
    void require_own() const {
        if (running.node != this && running.node != nullptr) [[unlikely]]
            refuse_another();
    }
    [[noreturn]] static void refuse_another();

    /// Makes a program that this node's program awaits the one to be resumed next.
    void call(Program::Handle callee) { leaf_ = callee; }

    /// A message that arrived and waits to be received; a list in order of (round, sender, port).
    struct Letter {
        Arrival arrival;
        Letter* next = nullptr;
    };

    /// What a program has asked for: where that depends on which of several messages comes first, an engine without rounds
    /// cannot answer.
    struct Asked {
        enum : std::uint8_t {
            any = 1,
            by_port = 2,
            whether_any = 4,
            strands = 8,
            serves = 16  ///< of the receive at hand: the program may wait for ever
        };
    };

    /// Where the letter stands that a program waits for; where the list ends if there is none.
    [[nodiscard]] Letter** awaited_letter(Waiting waiting, std::uint32_t awaited, const void* list = nullptr) {
        return waiting == Waiting::for_message ? &letters_ : find_letter(waiting, awaited, list);
    }
    [[nodiscard]] Letter** find_letter(Waiting waiting, std::uint32_t awaited, const void* list);
    /// Strands take turns: none goes on before those that have waited for the same.
    [[nodiscard]] bool has_at_once(Waiting waiting, std::uint32_t awaited, const void* list) {
        return strands_ == nullptr && *awaited_letter(waiting, awaited, list) != nullptr;
    }
    /// Whether a message is what is waited for.
    [[nodiscard]] static bool brings(NodeId from, Port port, Waiting waiting, std::uint32_t awaited, const void* list) {
        switch (waiting) {
            case Waiting::for_message: return true;
            case Waiting::for_message_by: return port == awaited;
            case Waiting::for_message_from: return from == awaited;
            case Waiting::for_message_by_one_of:
            case Waiting::for_message_from_one_of: return is_one_of(from, port, waiting, awaited, list);
            default: return false;
        }
    }
    [[nodiscard]] static bool is_one_of(NodeId from, Port port, Waiting waiting, std::uint32_t count, const void* list);
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
    Letter* letters_ = nullptr;
    Strands* strands_ = nullptr;  ///< of a node with several; leaf_ and what it waits for are then of the one that runs
    std::uint32_t id_;
    Round send_round_ = 0;     ///< the round that sends_ counts
    std::uint32_t sends_ = 0;  ///< sends started in send_round_
    std::uint32_t held_ = 0;   ///< send ports kept busy by claims that lost in earlier rounds
    std::uint32_t awaited_ =
        no_port;  ///< the port, the sender, the round or the group that the program waits for, or how many
    Waiting waiting_ = Waiting::nothing;
    std::uint8_t asked_ = 0;  ///< bits of Asked
    bool scheduled_ = false;  ///< it stands in a list of nodes to resume
    bool holds_ = false;      ///< a message has come to it, or it is the source
};
static_assert(sizeof(Node) == 64);  // a cache line: millions of them wait

class Node::Send {
  public:
    Send(Node& node, SendRequest request) : node_(node), request_(request) { node.require_own(); }
    [[nodiscard]] bool await_ready() { return node_.host_->start(node_, {&request_, 1}, false).empty(); }
    void await_suspend(std::coroutine_handle<>) { node_.wait_to_send({&request_, 1}); }
    void await_resume() const noexcept {}

  private:
    Node& node_;
    SendRequest request_;
};

class Node::SendTogether {
  public:
    SendTogether(Node& node, std::span<const SendRequest> sends) : node_(node), left_(sends) { node.require_own(); }
    [[nodiscard]] bool await_ready() {
        left_ = node_.host_->start(node_, left_, true);
        return left_.empty();
    }
    void await_suspend(std::coroutine_handle<>) { node_.wait_to_send(left_); }
    void await_resume() const noexcept {}

  private:
    Node& node_;
    std::span<const SendRequest> left_;
};

class Node::Receive {
  public:
    Receive(Node& node, Waiting waiting, std::uint32_t awaited, bool serves = false)
        : node_(node), awaited_(awaited), waiting_(waiting), serves_(serves) {
        node.require_own();
        if (waiting != Waiting::for_message_from)
            node.asked_ |= waiting == Waiting::for_message_by ? Asked::by_port : Asked::any;
    }
    [[nodiscard]] bool await_ready() const { return is_ready(nullptr); }
    void await_suspend(std::coroutine_handle<>) { suspend(nullptr); }
    Arrival await_resume() { return take(nullptr); }

  protected:
    [[nodiscard]] bool is_ready(const void* list) const { return node_.has_at_once(waiting_, awaited_, list); }
    void suspend(const void* list) {
        node_.asked_ &= static_cast<std::uint8_t>(~Asked::serves);
        if (serves_) node_.asked_ |= Asked::serves;
        node_.wait(waiting_, awaited_, list);
    }
    Arrival take(const void* list) {
        Letter** place = node_.awaited_letter(waiting_, awaited_, list);
        Letter* letter = *place;
        *place = letter->next;
        Arrival arrival = std::move(letter->arrival);
        letter->~Letter();
        running.pool->deallocate(letter, sizeof(Letter));
        node_.host_->tell_received(node_, arrival);
        return arrival;
    }

  private:
    Node& node_;
    std::uint32_t awaited_;
    Waiting waiting_;
    bool serves_;
};

/// Apart from Receive, which stands in the frame of every program that receives, and is smaller.
class Node::ReceiveOneOf : private Receive {
  public:
    /// `list`: so many ports or senders.
    ReceiveOneOf(Node& node, Waiting waiting, std::size_t count, const void* list, bool serves = false)
        : Receive(node, waiting, static_cast<std::uint32_t>(count), serves), list_(list) {
        if (count == 0) node.refuse_no_choice(waiting);
    }
    [[nodiscard]] bool await_ready() const { return is_ready(list_); }
    void await_suspend(std::coroutine_handle<>) { suspend(list_); }
    Arrival await_resume() { return take(list_); }

  private:
    const void* list_;
};

class Node::NextRound {
  public:
    NextRound(Node& node, Round round) : node_(node), round_(round) { node.require_own(); }
    [[nodiscard]] bool await_ready() const { return round_ <= node_.round(); }
    void await_suspend(std::coroutine_handle<>) { node_.wait(Waiting::for_round, round_); }
    void await_resume() const noexcept {}

  private:
    Node& node_;
    Round round_;
};

class Node::Join {
  public:
    Join(Node& node, std::uint32_t group) : node_(node), group_(group) { node.require_own(); }
    [[nodiscard]] bool await_ready() const;
    void await_suspend(std::coroutine_handle<>) { node_.wait(Waiting::for_strands, group_); }
    void await_resume() const noexcept {}

  private:
    Node& node_;
    std::uint32_t group_;
};

inline Node::Send Node::send(Port port, Cargo cargo) { return {*this, SendRequest(port, cargo)}; }
inline Node::Send Node::send_to(NodeId to, Cargo cargo) { return send_along(to, {}, cargo); }
inline Node::Send Node::send_along(NodeId to, std::span<const Port> route, Cargo cargo) {
    return {*this, SendRequest(to, route, cargo)};
}
inline Node::Send Node::pass(Port port, const PacketSet& packets) { return send(port, Cargo::passed(packets)); }
inline Node::Send Node::pass_to(NodeId to, const PacketSet& packets) { return send_to(to, Cargo::passed(packets)); }
inline Node::Send Node::pass_along(NodeId to, std::span<const Port> route, const PacketSet& packets) {
    return send_along(to, route, Cargo::passed(packets));
}
inline Node::SendTogether Node::send_together(std::span<const SendRequest> sends) { return {*this, sends}; }
inline Node::Receive Node::receive() { return {*this, Waiting::for_message, no_port}; }
inline Node::Receive Node::receive(Port port) {
    if (port == no_port) refuse_no_port();
    return {*this, Waiting::for_message_by, port};
}
inline Node::Receive Node::receive_from(NodeId sender) {
    return {*this, Waiting::for_message_from, sender < no_port ? static_cast<std::uint32_t>(sender) : no_port};
}
inline Node::ReceiveOneOf Node::receive(std::span<const Port> ports) {
    return {*this, Waiting::for_message_by_one_of, ports.size(), ports.data()};
}
inline Node::ReceiveOneOf Node::receive_from(std::span<const NodeId> senders) {
    return {*this, Waiting::for_message_from_one_of, senders.size(), senders.data()};
}
inline Node::Receive Node::serve() { return {*this, Waiting::for_message, no_port, true}; }
inline Node::Receive Node::serve(Port port) {
    if (port == no_port) refuse_no_port();
    return {*this, Waiting::for_message_by, port, true};
}
inline Node::ReceiveOneOf Node::serve(std::span<const Port> ports) {
    return {*this, Waiting::for_message_by_one_of, ports.size(), ports.data(), true};
}
inline Node::NextRound Node::next_round() {
    require_own();
    return {*this, round() + 1};
}
inline Node::NextRound Node::until(Round round) { return {*this, round}; }
template <std::same_as<Program>... Programs>
requires(sizeof...(Programs) > 0) Node::Join Node::when_all(Programs... programs) {
    const std::uint32_t group = new_group();
    (enlist(std::move(programs), group), ...);
    return {*this, group};
}

}  // namespace kport
