/// @file plan.hpp   What every node of a run does, as a list of acts instead of a program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "emulator/base/types.hpp"
#include "emulator/node/program.hpp"
#include "emulator/node/virtual_node.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// One act of a node: what a `co_await` of a node program asks for, as data.
struct Act {
    enum class Kind : std::uint8_t { end, send, send_to, receive, receive_from };
    /// How the value that a receive brings is folded into the node's value.
    enum class Fold : std::uint8_t {
        in_order,   ///< in the order of the nodes (Node::merge())
        left,       ///< it stands left of what the node has (Node::fold())
        right,      ///< it stands right of it
        with_next,  ///< in the order of the nodes, together with what the next receive brings
    };

    Kind kind = Kind::end;
    Fold fold = Fold::in_order;  ///< of a receive, where values move
    bool result = false;  ///< of a send, where values move: all is folded, and goes as the result (Node::whole())
    std::uint32_t where = no_port;  ///< a port; of send_to and receive_from a node; of a receive by any port no_port
    Round not_before = 0;           ///< the act waits for this round, unless that is over
    std::uint32_t what = 0;         ///< of a send: a packet's number, or whatever the plan calls it (Plan::packets())

    [[nodiscard]] static Act end() { return {}; }
    [[nodiscard]] static Act send(Port port, std::uint64_t what = 0, Round not_before = 0) {
        return {Kind::send, Fold::in_order, false, port, not_before, short_of(what)};
    }
    [[nodiscard]] static Act send_to(NodeId to, std::uint64_t what = 0, Round not_before = 0) {
        return {Kind::send_to, Fold::in_order, false, short_of(to), not_before, short_of(what)};
    }
    [[nodiscard]] static Act receive(Port port = no_port, Fold fold = Fold::in_order) {
        return {Kind::receive, fold, false, port, 0, 0};
    }
    [[nodiscard]] static Act receive_from(NodeId sender, Fold fold = Fold::in_order) {
        return {Kind::receive_from, fold, false, short_of(sender), 0, 0};
    }
    [[nodiscard]] bool sends() const { return kind == Kind::send || kind == Kind::send_to; }

    bool operator==(const Act&) const = default;

  private:
    /// A larger number is of nothing that there is.
    [[nodiscard]] static std::uint32_t short_of(std::uint64_t number) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, no_port));
    }
};
static_assert(sizeof(Act) == 16);

/// What every node of a run does: its acts, asked for one after the other. Each engine runs it as it runs programs (follow()).
///
///     Act next_act(NodeId v, std::uint64_t& place, Port) const override {   // a broadcast from node 0 along a line
///         if (place == 0 && v == 0) place = 1;
///         switch (place++) {
///             case 0: return Act::receive();
///             case 1: return v < last ? Act::send(1) : Act::end();
///             default: return Act::end();
///         }
///     }
///
/// Callers   several threads. What it answers must follow from the arguments only.
/// Errors    An exception that it throws is the program's. A plan that contradicts itself is named as an error of the program, with
///           node and act: two answers to one question, a port or a neighbour that is not there, more than 2^21 acts of a node. What breaks
///           a rule of the machine or the operation, such as a packet that the node does not hold, the auditor reports.
class Plan {
  public:
    /// What messages carry.
    enum class Content : std::uint8_t {
        packet,          ///< the packet with the number Act::what
        only_packet,     ///< the packet of an operation that has one; Act::what is free
        packets,         ///< packets()
        passed_packets,  ///< packets(), which the node then needs no more (Node::pass())
        value,           ///< of a reduction what the node has folded: at first its contribution, at last its result
        /// In a reduction, what came last: folded with the node's contribution to the same segments, or a result, of which the node
        /// keeps all. At first its contribution to packets().
        relayed_value
    };

    Plan() = default;
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    virtual ~Plan() = default;

    /// The next act of node v. `place` is the plan's note of how far the node is: 0 at first, kept between the acts of the node. `in`
    /// is the port of the last message that it has received; no_port: of none.
    [[nodiscard]] virtual Act next_act(NodeId v, std::uint64_t& place, Port in) const = 0;
    [[nodiscard]] virtual Content content() const = 0;
    /// The packets that a message carries; of a reduction the contributions, as far as these matter: where a value has several segments,
    /// or keeps_parts().
    [[nodiscard]] virtual PacketSet packets(NodeId, const Act&) const { return {}; }
    /// The ports along which send_to() goes on a wormhole machine; none: the topology's route.
    [[nodiscard]] virtual std::span<const Port> route(NodeId, const Act&) const { return {}; }
    /// Whether node v sends some of the contributions that it has (packets()), and so keeps the values that come to it apart.
    [[nodiscard]] virtual bool keeps_parts(NodeId) const { return false; }

  private:
    friend Program follow(Node& self, const Plan& plan);
    /// What follow() gives. It asks each question twice and checks the answers; kinds of plans that an engine also runs without
    /// programs have their own, which asks once (node/follower.hpp).
    [[nodiscard]] virtual Program program(Node& self) const;
};

/// Acts of a node, at most, of a plan that is checked.
inline constexpr std::uint32_t plan_acts_max = std::uint32_t{1} << 21;

/// A node program that does what the plan says. The plan must live as long as it runs.
[[nodiscard]] inline Program follow(Node& self, const Plan& plan) { return plan.program(self); }

/// The node programs of a plan, as a job's program (Job::program). An engine that finds one there may keep less of a node than a
/// program, where the plan is of a kind that it knows: the run is the same.
class PlanProgram {
  public:
    /// Throws RequestError for null.
    explicit PlanProgram(std::shared_ptr<const Plan> plan);

    [[nodiscard]] Program operator()(Node& self) const { return follow(self, *plan_); }
    [[nodiscard]] const std::shared_ptr<const Plan>& plan() const { return plan_; }

  private:
    std::shared_ptr<const Plan> plan_;
};

}  // namespace kport
