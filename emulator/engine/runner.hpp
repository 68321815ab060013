/// @file runner.hpp   Runs the programs of nodes, one at a time, when an engine says so.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/engine/ports_used.hpp"
#include "emulator/engine/route_choice.hpp"
#include "emulator/engine/stage.hpp"
#include "emulator/engine/watch.hpp"
#include "emulator/node/node_access.hpp"
#include "emulator/payload/slabs.hpp"

namespace kport {

/// What every engine does for the program at hand: it is resumed until it waits, what it asks to send is checked and made
/// ready, what it folds is folded and judged. When a node runs and how its mail goes is the engine's.
///
/// Callers   one task at a time.
class Runner : public Host {
  public:
    explicit Runner(Stage& stage, bool has_own_clocks = false)
        : Host(has_own_clocks), stage_(stage), pool_(stage.run, stage.slabs),
          ports_used_(stage.most_sends, stage.topology.ports()), route_choice_(stage.job.machine) {}

    [[nodiscard]] const Machine& machine() const override { return stage_.job.machine; }
    [[nodiscard]] const Collective& collective() const override { return stage_.job.collective; }
    [[nodiscard]] std::uint64_t seed() const override { return stage_.job.seed; }
    [[nodiscard]] Value contribution(Node& node) override;
    [[nodiscard]] Value contribution(Node& node, const PacketSet& segments) override;
    [[nodiscard]] Value fold(Node& node, const Value& left, const Value& right) override;
    [[nodiscard]] Value merge(Node& node, const Value& one, const Value& other) override;
    [[nodiscard]] std::vector<Value> runs(Node& node, const Value& value) override;
    [[nodiscard]] Value whole(Node& node, const Value& value) override;
    [[nodiscard]] Value cut(Node& node, const Value& value, std::uint64_t first, std::uint64_t count) override;
    [[nodiscard]] Value cut(Node& node, const Value& value, const PacketSet& segments) override;
    [[nodiscard]] Value concatenate(Node& node, std::span<const Value* const> values) override;
    void result(Node& node, const Value& value) override;

    /// The exception that a program let escape, with its node: of several in the earliest round the lowest node's.
    [[nodiscard]] const std::exception_ptr& error() const { return error_; }
    [[nodiscard]] NodeId error_node() const { return error_node_; }
    [[nodiscard]] Round error_round() const { return error_round_; }
    /// What programs did that no transfer shows: folds that must not be, and (strict policy) sends that were declared to
    /// belong to the round and did not fit.
    [[nodiscard]] std::vector<Violation>& breaches() { return breaches_; }

    /// Messages whose contents were compared with their seals, and their bytes.
    struct Compared {
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] const Compared& compared() const { return compared_; }

    [[nodiscard]] FramePool& pool() { return pool_; }
    [[nodiscard]] const AtWork& at_work() const { return at_work_; }
    [[nodiscard]] AtWork& at_work() { return at_work_; }

  protected:
    /// Makes the node's program. False if that failed, which is noted.
    [[nodiscard]] bool start_program(Node& node);
    /// Resumes the program until it waits; true if it is over instead. The caller reports the node as at work, once for all of its strands:
    /// those that spawn each other without an end compute for ever.
    [[nodiscard]] bool ends(Node& node);
    /// Whether the program that was over last had failed.
    [[nodiscard]] bool has_failed() const { return has_failed_; }
    void note_error(NodeId v, std::exception_ptr error);
    /// After the last round, of a node that has not ended: what its programs wait for in vain.
    void tell_waiting(const Node& node, Auditor& auditor) const;

    /// Node `v` holds what it has received: the body's packets, or the packet of a broadcast, which has none, from `from`; its
    /// bytes are `sent`, or null: where the sender has them, or had.
    [[gnu::always_inline]] void hold_bytes(NodeId v, NodeId from, Body* body, Round round,
                                           const std::byte* sent = nullptr) {
        const bool first = stage_.memory.holds_bytes() && stage_.slots[v].first_bytes();
        if (first) take_bytes(v, from, sent);
        if (stage_.sabotage != nullptr) [[unlikely]]
            may_corrupt(v, from, stage_.store ? body->bytes() : first ? stage_.memory.at(v) : nullptr, round);
        if (stage_.store) {  // a reference for the letter, one for what the node holds
            body->hold();
            stage_.store->add(v, body, pool_);
        }
    }
    [[gnu::always_inline]] void take_bytes(NodeId v, NodeId from, const std::byte* sent) {
        if (sent != nullptr) return stage_.memory.write(v, sent);
        if (!stage_.sent_bytes.empty() && (stage_.keeps_own_bytes || !stage_.share.contains(from))) [[unlikely]]
            if (const std::byte* bytes = stage_.sent_bytes.of(from, v)) return stage_.memory.write(v, bytes);
        stage_.memory.move(from, v);
    }
    [[nodiscard]] bool loses_wake_up(NodeId v, Round round) {
        return stage_.sabotage != nullptr && stage_.sabotage->loses_wake_up(stage_.topology, v, round);
    }
    /// Sends that were declared to belong together do not all fit into this round: strict machines forbid it.
    /// `partner`: the node to which it has sent in this round; no_node: none.
    void note_overrun(const Node& node, const SendRequest& first_left, NodeId partner);
    /// Pairwise machines: whether the send goes to another than the node's partner of this round, if it has one.
    [[nodiscard]] bool meets_another(const Node& node, const SendRequest& request, Port out, NodeId partner) const {
        if (!machine().pairwise || partner == no_node) return false;
        return (request.routed() ? request.to() : stage_.topology.across(node.id(), out).node) != partner;
    }
    /// The port by which the message leaves. Throws std::out_of_range for a target that is not there.
    [[nodiscard]] Port leaves_by(NodeId v, const SendRequest& request) const;
    [[noreturn]] void refuse_port(NodeId v, Port port) const;
    /// In a fabric: the port of v that stands for the host `to`. Throws std::out_of_range where no message goes there.
    [[nodiscard]] Port leaves_towards(NodeId v, NodeId to) const;
    /// Whether a node that sends as much as every node may has a higher limit of its own. Throws RequestError for a node that
    /// must not send at all.
    [[nodiscard]] bool may_send_more(NodeId v, std::uint32_t sends) const {
        return machine().node_ports != nullptr && has_higher_limit(v, sends);
    }
    [[nodiscard]] bool has_higher_limit(NodeId v, std::uint32_t sends) const;
    /// Whether the message has the route that the machine chooses when it is granted.
    [[nodiscard]] bool chooses_route(const SendRequest& request) const {
        return stage_.chooses_routes && (request.routed() ? request.route().empty() : stage_.fabric != nullptr);
    }
    /// Whether the message takes the channel of one port, which starts no other in the round. Trunks and chosen routes leave
    /// that to the arbiter; then the node has no more sends than its links carry.
    [[nodiscard]] bool names_port(const SendRequest& request) const {
        return stage_.fabric == nullptr && !chooses_route(request);
    }
    /// Where a message comes in whose route the machine knows: at its host in a fabric; else by a port that only the route
    /// tells. Throws std::out_of_range.
    [[nodiscard]] LinkEnd end_of(const Node& node, const SendRequest& request, Port first) const;
    /// Appends the ports of a wormhole message to `route`, of chosen ones the first; returns where it comes in. Throws
    /// std::out_of_range.
    [[nodiscard]] LinkEnd append_route(const Node& node, const SendRequest& request, Port first,
                                       std::vector<Port>& route) const;
    /// A packet of a broadcast that node v sends. Throws std::invalid_argument if there is no such packet.
    [[nodiscard]] Packet checked(NodeId v, Packet packet) const {
        if (!stage_.packets.allows(packet.id())) [[unlikely]]
            refuse_packets(v, stage_.packets.fault_of(packet.id()));
        return packet;
    }
    /// The node's program is over, or the run is: tells what it has sent that it had passed on. True if there was any.
    bool judge_passed(NodeId v) { return stage_.slots[v].has_passed() && tells_of_passed(v); }
    /// A new body with the packets that the cargo names. `held_once` as PacketStore::copy_out(), which says too whether all
    /// of them were there.
    struct Bundle {
        Body* body;
        bool complete;
    };
    [[nodiscard]] Bundle bundle_of(const Node& node, const Cargo& cargo, bool held_once);
    /// Whether a value is what it was when it was made. What has its seal was made in this run, of contributions that there are.
    [[nodiscard]] bool is_intact(const Value& value) const {
        if (value.is_element()) [[likely]]
            return stage_.folder->intact(value.element());
        const Body* body = value.body();
        return body != nullptr && stage_.folder->intact(*body);
    }
    /// Whether two elements are what they were, neighbours, and in order or of an operator that commutes: there is nothing to
    /// tell of their fold.
    [[nodiscard]] bool folds_at_once(const Element& left, const Element& right) const {
        const Progression& a = left.contributions;
        const Progression& b = right.contributions;
        const NodeId results = stage_.topology.nodes();
        const bool parts = a.first < results && b.first < results;
        return parts && neighbours(a, b) && (a.first < b.first || stage_.folder->reduction().commutative()) &&
               stage_.folder->intact(left) && stage_.folder->intact(right);
    }
    /// What a message carries of the value that the cargo names: a copy of its own.
    [[nodiscard]] Value sent_value(const Node& node, const Cargo& cargo);
    /// A value or contents have come to node v, which must be what `from` sent: if a bit of it has changed on its way, that
    /// is told.
    void take_value(NodeId v, NodeId from, Round round, Element& value) {
        if (stage_.sabotage != nullptr && stage_.folder->payload()) [[unlikely]]
            may_harm(v, from, round, std::as_writable_bytes(std::span(&value.bits, 1)), value.seal);
        if (!stage_.folder->intact(value)) [[unlikely]]
            take_changed(v, from, round, value);
    }
    void take_value(NodeId v, NodeId from, Round round, Body& value);

    Stage& stage_;
    FramePool pool_;
    PortsUsed ports_used_;  ///< by the node that runs
    RouteChoice route_choice_;
    std::vector<Violation> breaches_;
    Compared compared_;
    AtWork at_work_;

  private:
    /// The node has given its result.
    virtual void told_result(NodeId v, Body& result) = 0;
    /// Called before a violation by the node's program is noted with the current round.
    virtual void told_breach(const Node&) {}

    /// A new body with the contents that the cargo names.
    [[nodiscard]] Body* contents_of(const Node& node, const Cargo& cargo);
    [[nodiscard]] Value folded(const Node& node, const Value& left, const Value& right);
    [[nodiscard]] bool folds_at_once(const Value& left, const Value& right) const;
    [[nodiscard]] std::optional<Element> folded_at_once(const Value& left, const Value& right) const;
    [[nodiscard]] bool folds_in_one_pass(const Body& left, const Body& right) const;
    /// folded() of values that were judged and name contributions, not the result.
    [[nodiscard]] Value folded_parts(const Node& node, const Value& left, const Value& right);
    /// `bytes`: that the node has received; null if it holds no other than before.
    void may_corrupt(NodeId v, NodeId from, std::byte* bytes, Round round);
    /// may_corrupt() for a value or contents and its seal, which may also get lost.
    void may_harm(NodeId v, NodeId from, Round round, std::span<std::byte> bytes, Seal& seal);
    [[nodiscard]] Value sabotaged_fold(const Node& node, const Value& left, const Value& right);
    /// Whether what a node uses is a value that was made in this run, as it was made; else that is told.
    bool judge_use(const Node& node, const Value& value) {
        if (is_intact(value)) [[likely]]
            return true;
        judge_changed(node, value);
        return false;
    }
    void judge_changed(const Node& node, const Value& value);
    void note_changed(NodeId v, NodeId from, Round round, std::span<const PacketBlock> contributions);
    void take_changed(NodeId v, NodeId from, Round round, Element& value);
    /// Whether the contributions of both may be folded, in this order; else that is told.
    bool judge_fold(const Node& node, std::span<const PacketBlock> left, std::span<const PacketBlock> right);
    [[nodiscard]] Value with_body(const Value& value);
    /// As columns of row 0; an element has one.
    [[nodiscard]] static PacketSet own_segments(const Value& value);
    /// Both, which were judged, and of which nothing is folded (Collective::unfolded).
    [[nodiscard]] Value unfolded(const Node& node, const Value& left, const Value& right);
    /// Unfolded, the fold of a value from left to right; else the value.
    [[nodiscard]] Value in_one(const Value& value);
    /// Both in runs (Folder::merged()).
    [[nodiscard]] Value merged(const Value& left, const Value& right);
    /// These bytes as the value of other contributions, sealed; of an element, which was judged, those of one block. The use of
    /// others is judged as they are sealed.
    [[nodiscard]] Value renamed(const Node& node, const Value& value, std::span<const PacketBlock> contributions);
    [[nodiscard]] bool is_whole(const Value& value) const {
        if (value.is_element()) return value.element().contributions.first == stage_.topology.nodes();
        const std::span<const PacketBlock> blocks = value.body()->blocks();
        return !blocks.empty() && blocks.front().first == stage_.topology.nodes();
    }
    /// Returns the contributions of all that contribute to the segments of some packets.
    [[nodiscard]] PacketSet all_contributions_to(std::span<const PacketBlock> packets) const;
    /// Results, which are a packet each, as the value of all contributions; others as they are. Its use is judged.
    [[nodiscard]] Value as_contributions(const Node& node, const Value& value);
    /// The node passes packets on: those that it must hold at the end it then lacks.
    void judge_passing(const Node& node, std::span<const PacketBlock> packets);
    [[nodiscard]] bool tells_of_passed(NodeId v);
    /// Throws std::invalid_argument: the node does what its operation does not know.
    [[noreturn]] void refuse(const Node& node, std::string_view what) const;
    [[noreturn]] void refuse_contents(const Node& node) const;
    /// What a node contributes to segments that its promise takes of it; it refuses none.
    [[nodiscard]] Value given_contribution(Node& node, const PacketSet& segments);
    [[noreturn]] void refuse_cut(const Node& node, std::uint64_t count, std::uint64_t first) const;
    [[noreturn]] void refuse_packets(NodeId v, const PacketSpace::Finding& why) const;
    void require_reduction(const Node& node) const {
        if (!stage_.folder) refuse(node, "uses a value, which only reductions have");
    }
    void require_contributions(const Node& node, const PacketBlock& block) const {
        if (!stage_.packets.has(block)) [[unlikely]]
            refuse_contributions(node, block);
    }
    /// They are not the operation's.
    [[noreturn]] void refuse_contributions(const Node& node, const PacketBlock& contributions) const;
    [[nodiscard]] PacketId lowest_packet(const Cargo& cargo) const;

    std::exception_ptr error_;
    bool has_failed_ = false;
    NodeId error_node_ = no_node;
    Round error_round_ = 0;
};

}  // namespace kport
