/// @file partition.hpp   The nodes that one task runs at a time.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "emulator/engine/node_marks.hpp"
#include "emulator/engine/results.hpp"
#include "emulator/engine/runner.hpp"
#include "emulator/engine/world.hpp"
#include "emulator/node/message.hpp"
#include "emulator/payload/mailbox.hpp"

namespace kport {

class RankMail;

/// A node that forwards and has still to send (engine/partition_forwarding.cpp).
struct Cursor {
    std::uint32_t node;
    Port port;  ///< the next to send by; of one that has just received, that by which the packet came
};

/// What an auditor sees of the message of a broadcast.
[[nodiscard]] inline Hop hop_of(const Message& message) {
    return {message.from, message.to, message.out, message.packet().id()};
}

/// A share of the nodes, with the memory of their programs and the mail between it and the other partitions.
///
/// A round has three phases with a barrier after each: run() resumes programs, whose sends become mail; count_claims()
/// finds receivers that are sent more than their ports take; accept() audits and delivers. In a phase each partition is
/// served by one task; different partitions by different ones.
class Partition final : public Runner {
  public:
    Partition(World& world, unsigned index);

    [[nodiscard]] unsigned index() const { return index_; }
    /// The programs that have not ended: what they have sent that their nodes had passed on is told. After the last round.
    void judge_left();
    /// Destroys the programs that have not ended. Once, and then nothing else.
    void tear_down();

    [[nodiscard]] std::span<const SendRequest> start(Node& node, std::span<const SendRequest> sends,
                                                     bool together) override;

    /// Lets a node start in a round, without a message. Before the first round.
    void start_by_itself(NodeId v, Round round) { (round > 1 ? asleep_[round].starters : starters_).push_back(v); }
    void start_all_by_themselves() { all_start_ = true; }
    [[nodiscard]] bool all_start() const { return all_start_; }

    /// Whether some node of this partition has something to do in the given round, which is the next.
    [[nodiscard]] bool busy(Round round) const {
        return !soon_.empty() || !first_mail_.empty() || !starters_.empty() || all_start_ || wakes_in() == round ||
               !arrived_.empty() || !going_.empty() || !due_.empty() || exchanges_ || goes_in_step_;
    }
    /// About how many nodes those are.
    [[nodiscard]] std::size_t load(Round round) const {
        std::size_t nodes =
            soon_.size() + first_mail_.size() + starters_.size() + arrived_.size() + going_.size() + due_.size();
        if (wakes_in() == round) nodes += asleep_.begin()->second.size();
        if (all_start_ || exchanges_ || goes_in_step_) nodes += world_.topology.nodes() / world_.deal.partitions();
        return nodes;
    }
    /// The first round for which a node waits that is not the next; 0: there is none.
    [[nodiscard]] Round wakes_in() const { return asleep_.empty() ? 0 : asleep_.begin()->first; }

    /// Forgets the round before.
    void begin(Round round) {
        round_ = round;
        posted_ = 0;
        mail_is_here_ = true;
        sends_unheld_ = false;
        lets_round_pass_ = false;
    }
    /// Phase 1. Resumes or starts the nodes that have something to do; what they send is published, or stands in World::few.
    void run(Round round);
    /// What its programs asked to send, if World::records_asked.
    [[nodiscard]] const std::vector<AskedSend>& asked() const { return asked_; }
    /// Messages in mailboxes since the last run().
    [[nodiscard]] std::uint64_t posted() const { return posted_; }
    /// Whether some node asked in the last run() for the next round, or for a later one.
    [[nodiscard]] bool lets_round_pass() const { return lets_round_pass_; }
    /// Whether one of them came from a node that does not hold the packet: its bytes may arrive while they are copied on.
    [[nodiscard]] bool sends_unheld() const { return sends_unheld_; }

    /// Of a round that turns out not to be small (engine/small_rounds.hpp): what this partition has sent goes the way of others.
    void post_in_mailbox(const Message& message);
    void publish();

    /// What texts have answered here, in a run that may be left and attempted again: a sum, whatever the order.
    [[nodiscard]] std::uint64_t answers() const { return answers_; }

    // For rounds of few cursors (engine/few_cursors.hpp).
    [[nodiscard]] bool has_starters() const { return !starters_.empty(); }
    [[nodiscard]] std::size_t cursors() const { return arrived_.size() + going_.size(); }
    void hand_over_cursors(std::vector<Cursor>& arrived, std::vector<Cursor>& going);
    void take_back(const Cursor& node, bool arrived) { (arrived ? arrived_ : going_).add(node); }
    void note_failure(NodeId v, Round round, std::exception_ptr error) {
        round_ = round;
        note_error(v, std::move(error));
    }
    /// Node v, which forwards, sends by this port and those after it while ports are free: post(message). Returns the port with
    /// which it goes on in the next round; no_port: it has sent to all. Throws as the forwarding, std::out_of_range for a port
    /// that is not there.
    template <class Post>
    [[nodiscard]] Port forward(NodeId v, Port out, const Post& post);

    using Partitions = std::vector<std::unique_ptr<Partition>>;
    /// Takes in what the senders published for this partition, and what came from those of other ranks.
    void collect(const std::vector<Partition*>& senders, const RankMail* mail);
    /// Phase 2. True if some node is sent more messages than its ports take in this round.
    [[nodiscard]] bool count_claims(Round round);
    /// Puts what was collected in the order of the senders, whatever the order in which they ran.
    void put_in_order();
    /// Phase 3. Everything that was sent to or from this partition moves: audit of both sides, bytes, mail to the nodes.
    void accept(Round round) {
        accept_sent(round);
        accept_received(round);
    }
    /// Its two halves. Bodies are read by the first and may end in the second, at another partition.
    void accept_sent(Round round);
    void accept_received(Round round);

    /// Both for all messages of a small round.
    static void accept_few(Round round, std::span<Message> messages, const Partitions& partitions);

    /// For a single message that the arbitration granted: first all senders' sides, then the receivers'.
    void accept_sent(Round round, const Transfer& transfer) { world_.rounds.sent(index_, round, transfer); }
    void accept_received(Round round, const Message& message, const Transfer& transfer);

    /// Calls visit(message) for each message that this partition sent in this round.
    template <class Visit>
    void for_each_posted(Visit&& visit) const {
        for (const unsigned to : touched_)
            out_[to].posted([&](std::span<const Message> batch) {
                for (const Message& message : batch) visit(message);
            });
    }
    /// Calls visit(span of messages) for those to one partition.
    template <class Visit>
    void for_each_batch_to(unsigned to, Visit&& visit) const {
        out_[to].posted(visit);
    }
    /// How many those are.
    [[nodiscard]] std::size_t posted_to(unsigned to) const { return out_[to].posted(); }
    /// The partitions to which this one sent in this round.
    [[nodiscard]] const std::vector<unsigned>& touched() const { return touched_; }
    /// Ends what it sent to partitions of which is_there(index) is false, once that is audited.
    template <class IsThere>
    void discard_sent(const IsThere& is_there) {
        for (const unsigned to : touched_)
            if (!is_there(to))
                out_[to].posted([&](std::span<const Message> batch) {
                    for (const Message& message : batch) discard(message);
                });
    }
    /// Forgets the mail of the round.
    void clear_mail();
    /// Ownership of this round's messages moves to the receivers.
    void hand_over_mail() { mail_is_here_ = false; }
    /// Ends what a message carries, without delivering it.
    void discard(const Message& message) {
        if (message.has_body()) message.body()->release(pool_);
    }
    /// The message with what it carries in a body, so that it may outlive its round.
    [[nodiscard]] Message kept(Message message) {
        if (message.has_element()) message.content = content_in_body(message.element());
        return message;
    }
    /// kept() of a message that has yet to move: with the bytes that this partition's node sends.
    [[nodiscard]] Message kept_to_move(Message message) {
        if (message.has_packet() && world_.store) message.content = content_in_body(message.from, message.packet());
        return kept(message);
    }
    /// The messages of this round get bodies, while every packet that they name is what it was when it was sent.
    void put_packets_in_bodies();
    /// What a message carries, as an auditor sees it. `few` hold what no body does.
    [[nodiscard]] std::span<const PacketBlock> packets_of(const Message& message, FewBlocks& few) const {
        if (message.has_body()) return message.body()->blocks();
        if (message.has_packet())
            few.places.front() = PacketBlock{static_cast<std::uint32_t>(message.packet().id())};
        else
            few = message.element().blocks();
        return few.blocks();
    }

    /// One link; `few` as in packets_of(). It lives as long as both.
    [[nodiscard]] Transfer transfer_of(const Message& message, FewBlocks& few) const {
        return {message.from, message.to, {&message.out, 1}, packets_of(message, few)};
    }

    /// The ports of a wormhole message that this partition sent.
    [[nodiscard]] std::span<const Port> route(const Message& message) const {
        return {routes_.data() + message.out + 1, routes_[message.out]};
    }

    /// Whether this rank runs the nodes of the partition, or of another one.
    [[nodiscard]] bool is_own() const { return is_own(index_); }
    [[nodiscard]] bool is_own(unsigned index) const { return (world_.share.own() >> index & 1) != 0; }

    /// A claim of the node lost (its send port stays busy) or, later, won. Of nodes of other ranks they do nothing.
    void hold_port(NodeId sender);
    void free_port(NodeId sender);

    /// Of each node that has not ended, what it waits for in vain. After the last round.
    void tell_waiting(Auditor& auditor) const {
        if (world_.timetable != nullptr)
            tell_waiting_cursors(auditor);
        else
            for_each_alive([&](const Node& node) { Runner::tell_waiting(node, auditor); });
    }

  private:
    /// Calls visit(node) for each node that has started and not ended.
    template <class Visit>
    void for_each_alive(Visit&& visit) const {
        if (alive_ == 0) return;
        world_.deal.for_each(index_, world_.topology.nodes(), [&](NodeId v) {
            if (Node* node = world_.slots[v].node()) visit(*node);
        });
    }

    template <class Visit>
    void for_each_own_node(Visit&& visit) const {
        world_.deal.for_each(index_, world_.topology.nodes(), visit);
    }

    /// `where`: what the text was asked of node v, by its step, round or port.
    void hear(NodeId v, std::uint64_t where, std::uint64_t answer) {
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // so that no single answer is like another
        std::uint64_t mixed = ((v << 32 | where) ^ answer * odd) * odd;
        mixed = (mixed ^ mixed >> 32) * odd;  // else a sum of small answers is that of others
        answers_ += mixed ^ mixed >> 32;
    }

    /// Ends everything that nodes hold or are still to be given.
    void discard_all();

    void run_nodes(Round round);
    void run_as_it_comes(Round round);
    /// Instead of run_nodes() where nodes only forward (World::forwarding): a node that still has to send is a cursor.
    void run_cursors();
    /// Instead of run_as_it_comes() where the nodes have an order: all are made, then started or resumed in World::order.
    void run_in_order(Round round);

    /// Instead of run_nodes() where nodes exchange or relay values (World::exchange).
    void run_exchange();
    void begin_exchange();
    void begin_results();
    void end_exchange();
    void accept_exchange(Round round);
    /// Folds what a node has with what came.
    void fold_value(Element& into, const Element& own, const Element& came, bool is_left) const;
    /// Keeps the result that came, or folds the node's contribution to it, and sends it in the next step.
    void relay_value(NodeId v, const Element& came, Element& next);
    void keep_result(NodeId v, const Element& result);
    [[nodiscard]] bool are_intact_results(NodeId v);
    /// The step of the round at hand, from 0.
    [[nodiscard]] unsigned step() const { return round_ - 1; }

    /// The packet has come to a node that forwards. `sent` as Runner::hold_bytes().
    void arrive(const Message& message, const std::byte* sent);
    /// arrive() of a message that has waited, or that brings a part.
    void arrive_late(const Message& message);
    void accept_sent_by_cursors(Round round);
    void accept_received_by_cursors(Round round);
    /// The port by which the packet came that the node receives: of several in one round the lowest sender's. Rivals are in order.
    [[nodiscard]] Port first_in(const Cursor& arrived) const;

    /// Instead of run_nodes() where nodes pass on parts of what they are sent (World::splitting).
    void run_splitting();
    void post_part(Message message);
    void arrive_with_part(const Message& message);

    /// The ports by which a node without program may send in this round, at most.
    [[nodiscard, gnu::always_inline]] Port ports_to_send(NodeId v) const {
        if (ports_held_.empty()) [[likely]]
            return world_.limit;
        const auto held = ports_held_.find(v);
        if (held == ports_held_.end()) return world_.limit;
        return machine().sends_of(v) - std::min(held->second, machine().sends_of(v));
    }

    /// Instead of run_nodes() where nodes go by a timetable (World::timetable).
    void run_by_timetable();
    void go_on(const DueNode& due);
    /// Line after line, until the node waits for a message, a round or a port.
    void follow_timetable(const DueNode& due);
    /// A letter that the node has not received, of all that have come the one at hand, is kept.
    void put_aside(NodeId v, NodeId from) {
        if (from != no_node) [[unlikely]]
            letters_.emplace(static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(from));
    }
    [[nodiscard]] bool takes_letter(NodeId v, NodeId from);
    /// False if no port is free.
    [[nodiscard]] bool sends_line(NodeId v, const TimetableLine& line, Port sends);
    /// The message has come to a node that goes by a timetable.
    void arrive_by_timetable(const Message& message);
    void tell_waiting_cursors(Auditor& auditor) const;

    /// Instead of run_by_timetable() where all are in step (World::last_line).
    void run_in_step();
    void accept_sent_in_step(Round round);
    void accept_received_in_step(Round round);

    [[nodiscard]] Node& make_node(NodeId v);
    /// The node, made if that has not been done.
    [[nodiscard]] Node& made_node(NodeId v);
    void start_node(Node& node);
    void start_blank(NodeId v);
    void resume(Node& node);
    void run_program(Node& node);
    /// Its programs wait, or are over.
    void leave(Node& node, bool is_over);
    /// A new round of a node that has strands: they go on sending. False if one of them failed at that.
    [[nodiscard]] bool go_on_in_strands(Node& node);
    /// The strand that ran, if one did, waits, or is over: now the others run until all wait. True if none is left, or one has
    /// failed.
    [[nodiscard]] bool strands_end(Node& node, bool is_over);
    /// What is left of the sends with which a program waits. False if one goes to a target that is not there, found when its
    /// turn came; that is noted.
    [[nodiscard]] bool go_on_sending(Node& node, std::span<const SendRequest>& wanted);
    void end(Node& node);
    void schedule(Node& node);

    void note_asked(const Node& node, std::span<const SendRequest> sends, bool together);
    [[nodiscard]] std::span<const SendRequest> emit_first(Node& node, std::span<const SendRequest> sends);
    [[nodiscard]] bool emit(Node& node, const SendRequest& request);
    [[nodiscard]] bool loses(const Node& node, const SendRequest& request, Port out);
    [[nodiscard]] Message routed_message(const Node& node, const SendRequest& request, Port first);
    /// What the message carries: the packet's number, an element of this round, or a new body.
    [[nodiscard]] std::uint64_t content_of(const Node& node, const Cargo& cargo);
    /// The packet of a broadcast of several that the cargo is, if it goes by its number (World::packets_by_number).
    [[nodiscard]] std::optional<Packet> packet_by_number(const Node& node, const Cargo& cargo) const;
    /// What a message of such a packet carries: its number, if the node or no node holds its bytes.
    [[nodiscard]] std::uint64_t content_of(NodeId v, Packet packet);
    [[nodiscard]] std::uint64_t content_in_body(NodeId v, Packet packet);
    [[nodiscard]] std::uint64_t content_in_body(const Element& element);
    [[nodiscard]] std::uint64_t value_of(const Node& node, const Cargo& cargo);
    [[nodiscard]] Arrival arrival_of(const Message& message, Round round) const {
        if (message.has_packet()) return {message.from, message.in, round, message.packet()};
        return {message.from, message.in, round,
                message.has_element() ? Value(message.element()) : Value(message.body(), pool_), world_.numbering};
    }
    /// Puts what was transferred in that round among what the node has not received yet.
    void give(Node& node, const Message& message, Round round) {
        void* const memory = pool_.allocate(sizeof(NodeAccess::Letter));
        NodeAccess::deliver(node, new (memory) NodeAccess::Letter{arrival_of(message, round)});
    }
    void post(const Message& message) {
        if (world_.few.wanted())
            world_.few.add(message);
        else
            post_in_mailbox(message);
    }
    void show_sent(const Message& message, Round round);
    /// Shows the receiver's side, and delivers. `sent`: as Runner::hold_bytes().
    void take_in(const Message& message, Round round, const std::byte* sent = nullptr);
    void deliver(const Message& message, Round round, const std::byte* sent = nullptr);
    void told_result(NodeId v, Body& result) override { tell_result(world_.auditor, index_, round_, v, result); }

    World& world_;
    unsigned index_;
    NodeId partner_ = no_node;  ///< to whom the node at hand has sent in this round
    std::uint64_t alive_ = 0;   ///< nodes that have started and not ended
    bool goes_in_step_;         ///< nodes are in step, and have lines from the next round on

    std::vector<Node*> now_;   ///< nodes that are resumed in this round
    std::vector<Node*> soon_;  ///< and in the next
    struct Asleep {
        std::vector<Node*> nodes;
        std::vector<NodeId> starters;
        std::vector<DueNode> cursors;

        [[nodiscard]] std::size_t size() const { return nodes.size() + starters.size() + cursors.size(); }
    };
    std::map<Round, Asleep> asleep_;  ///< and in a later one, for which they wait
    Batches<Message> first_mail_;     ///< messages that start their node in the next round
    std::vector<Message> more_mail_;  ///< further messages to nodes that start in the next round
    std::vector<NodeId> starters_;
    bool all_start_ = false;
    bool exchanges_ = false;  ///< its nodes have exchanged values in this round, and go on in the next

    Batches<Cursor> arrived_;                     ///< nodes that forward, to which the packet came in the last round
    std::vector<Message> rivals_;                 ///< messages to nodes to which it had come, in that round or before
    Batches<Cursor> going_;                       ///< nodes that forward and go on in the next round
    Batches<Cursor> going_before_;                ///< and in this one
    std::map<NodeId, std::uint32_t> ports_held_;  ///< nodes without programs: ports of claims that wait

    std::vector<DueNode> due_;      ///< nodes that go by a timetable and go on in the next round
    std::vector<DueNode> due_now_;  ///< and in this one
    /// What came to such nodes, as receiver and sender, before they waited for it.
    std::multiset<std::pair<std::uint32_t, std::uint32_t>> letters_;

    BatchMemory<Message> mail_memory_;
    std::vector<Mailbox<Message>> out_;  ///< by receiving partition
    std::vector<unsigned> touched_;      ///< those of them that were posted to in this round
    Batches<Element> elements_;          ///< what messages of this round carry, where it is so small
    struct Incoming {
        std::span<const Message> messages;
        const std::byte* bytes = nullptr;  ///< that a letter has brought with them, one packet after the other
    };
    std::vector<Incoming> in_;      ///< batches collected in this round
    NodeMarks receivers_;           ///< with one port
    std::vector<Message> ordered_;  ///< the same messages by sender, where that matters
    std::vector<Port> routes_;      ///< wormhole: length and ports of each route of this round
    std::vector<AskedSend> asked_;
    std::uint64_t declarations_ = 0;
    std::uint64_t posted_ = 0;
    std::uint64_t answers_ = 0;
    bool mail_is_here_ = false;  ///< posted in this round and not yet handed over
    bool sends_unheld_ = false;
    bool lets_round_pass_ = false;
};

// In line: a broadcast does little more for a message than this.
template <class Post>
[[gnu::always_inline]] inline Port Partition::forward(NodeId v, Port out, const Post& post) {
    const Port ports = ports_to_send(v);
    ports_used_.restart();
    for (Port sends = 0; out != no_port; ++sends) {
        const bool all_taken = sends >= ports;
        if (!all_taken && out >= world_.topology.ports()) [[unlikely]]
            refuse_port(v, out);
        // A channel carries one message a round.
        if (all_taken || (sends != 0 && ports_used_.contains(out))) return out;
        ports_used_.add(out);
        const LinkEnd end = world_.topology.across(v, out);
        if (end.node == no_node) [[unlikely]]
            refuse_port(v, out);
        post(Message{static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(end.node), out, end.port,
                     Message::content_of(Packet(0))});
        out = world_.forwarding->next(v, out);
    }
    return no_port;
}

inline void Partition::post_in_mailbox(const Message& message) {
    const unsigned to = world_.deal.home(message.to);
    Mailbox<Message>& mail = out_[to];
    if (!mail.has_room() && mail.untouched()) [[unlikely]]
        touched_.push_back(to);
    mail.post(message);
    ++posted_;
}

}  // namespace kport
