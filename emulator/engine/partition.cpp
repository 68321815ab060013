#include "emulator/engine/partition.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

Hop hop_of(const Message& message) { return {message.from, message.to, message.out, message.content}; }

/// Messages ahead of the one at hand whose node is fetched: the nodes of a round lie far apart in memory.
constexpr std::size_t fetch_ahead = 12;

}  // namespace

Partition::Partition(World& world, unsigned index)
    : world_(world), index_(index), out_(world.deal.partitions()), ports_used_(world.limit, world.topology.ports()) {}

void Partition::tear_down() {
    if (std::exchange(torn_down_, true)) return;
    running = {&pool_};
    for_each_alive([&](Node& node) { NodeAccess::clear(node, pool_); });
    alive_ = 0;
    if (world_.bundles) discard_all();
    running = {};
}

void Partition::discard_all() {
    for (const Message& message : first_mail_) discard(message);
    for (const Message& message : more_mail_) discard(message);
    first_mail_.clear();
    more_mail_.clear();
    if (std::exchange(mail_is_here_, false)) for_each_posted([&](const Message& message) { discard(message); });
    world_.deal.blocks(index_, world_.topology.nodes(), [&](NodeId first, NodeId last) {
        for (NodeId v = first; v < last; ++v) {
            if (world_.store) world_.store->clear(v, pool_);
            if (!world_.folder) continue;
            if (Body* result = std::exchange(world_.results[v], nullptr)) result->release(pool_);
        }
    });
}

Violation Partition::waits_for_ever(const Node& node) const {
    Violation waits;
    waits.breach = Breach::waits_for_ever;
    waits.round = round_;
    waits.node = node.id();
    if (NodeAccess::waiting(node) == Waiting::for_round) waits.breach = Breach::lets_rounds_pass;
    if (NodeAccess::waiting(node) == Waiting::for_message_by) {
        waits.port = NodeAccess::awaited(node);
        if (waits.port < world_.topology.ports()) waits.other = world_.topology.across(node.id(), waits.port).node;
    }
    return waits;
}

std::size_t Partition::load() const {
    return soon_.size() + first_mail_.size() + starters_.size() +
           (all_start_ ? world_.topology.nodes() / world_.deal.partitions() : 0);
}

// ---------------------------------------------------------------------------------------------- running the programs

void Partition::run(Round round) {
    round_ = round;
    posted_ = 0;
    mail_is_here_ = true;
    sends_unheld_ = false;
    running = {&pool_};
    now_.swap(soon_);
    soon_.clear();

    // Nodes to which several messages came at once get their letters first, so that the lowest sender's is the first.
    for (const Message& message : more_mail_) {
        Slot& slot = world_.slots[message.to];
        Node& node = slot.node() != nullptr ? *slot.node() : make_node(message.to);
        NodeAccess::deliver(node, arrival_of(message, round - 1), pool_);
    }
    const bool some_are_made = !more_mail_.empty();
    more_mail_.clear();
    for (std::size_t i = 0; i < first_mail_.size(); ++i) {
        if (i + fetch_ahead < first_mail_.size()) __builtin_prefetch(&world_.slots[first_mail_[i + fetch_ahead].to], 1);
        const Message& message = first_mail_[i];
        Node* made = some_are_made ? world_.slots[message.to].node() : nullptr;
        Node& node = made != nullptr ? *made : make_node(message.to);
        NodeAccess::deliver(node, arrival_of(message, round - 1), pool_);
        start_node(node);
    }
    first_mail_.clear();
    for (const NodeId v : starters_) start_blank(v);
    starters_.clear();
    if (std::exchange(all_start_, false))
        world_.deal.blocks(index_, world_.topology.nodes(), [&](NodeId first, NodeId last) {
            for (NodeId v = first; v < last; ++v) start_blank(v);
        });

    for (std::size_t i = 0; i < now_.size(); ++i) {
        if (i + 2 * fetch_ahead < now_.size()) NodeAccess::prefetch(*now_[i + 2 * fetch_ahead]);
        if (i + fetch_ahead < now_.size()) NodeAccess::prefetch_program(*now_[i + fetch_ahead]);
        if (i + fetch_ahead / 2 < now_.size()) NodeAccess::prefetch_letter(*now_[i + fetch_ahead / 2]);
        resume(*now_[i]);
    }
    for (const unsigned to : touched_) out_[to].publish();
    running = {};
}

Arrival Partition::arrival_of(const Message& message, Round round) const {
    if (world_.bundles)
        return {message.from, message.in, round,
                message.has_element() ? Value(message.element()) : Value(message.body())};
    return {message.from, message.in, round, message.packet()};
}

Message Partition::kept(Message message) {
    if (!world_.bundles || !message.has_element()) return message;
    const Element& element = message.element();
    Body* body = world_.folder->body_of(element.block(), element.bits, pool_);
    message.content = reinterpret_cast<std::uint64_t>(body);
    return message;
}

Node& Partition::make_node(NodeId v) {
    Node* node = new (pool_.allocate(sizeof(Node))) Node(*this, v);
    NodeAccess::holds(*node) = v == world_.job.promise.source;
    if (world_.store) world_.store->seed(v, pool_);
    world_.slots[v].set(node);
    ++alive_;
    return *node;
}

void Partition::start_blank(NodeId v) {
    if (world_.slots[v].state() == Slot::State::idle) start_node(make_node(v));
}

void Partition::start_node(Node& node) {
    running.node = &node;
    try {
        NodeAccess::leaf(node) = world_.job.program(node).release();
    } catch (...) {
        note_error(node.id(), std::current_exception());
        return;
    }
    ports_used_.restart();
    run_program(node);
}

void Partition::resume(Node& node) {
    running.node = &node;
    ports_used_.restart();
    NodeAccess::scheduled(node) = false;
    if (NodeAccess::waiting(node) == Waiting::to_send) {
        std::span<const SendRequest>& wanted = NodeAccess::wanted(node);
        try {
            wanted = start(node, wanted, false);
        } catch (...) {  // a target that is not there, found when its turn came: the program is suspended, not running
            note_error(node.id(), std::current_exception());
            return;
        }
        if (!wanted.empty()) {
            schedule(node);
            return;
        }
    }
    NodeAccess::waiting(node) = Waiting::nothing;
    run_program(node);
}

void Partition::run_program(Node& node) {
    Program::Handle& leaf = NodeAccess::leaf(node);
    // A program that awaits another one, or ends for the one that awaited it, comes back here with another leaf.
    while (NodeAccess::waiting(node) == Waiting::nothing) {
        const Program::Handle running_now = leaf;
        running_now.resume();
        if (!running_now.done()) continue;
        if (running_now.promise().caller) {
            leaf = running_now.promise().caller;
            continue;
        }
        if (running.error != nullptr) note_error(node.id(), take_error());
        end(node);
        return;
    }
    schedule(node);
}

void Partition::end(Node& node) {
    world_.slots[node.id()].set(Slot::State::ended);
    NodeAccess::clear(node, pool_);
    pool_.deallocate(&node, sizeof(Node));
    --alive_;
}

void Partition::schedule(Node& node) {
    const Waiting waiting = NodeAccess::waiting(node);
    const bool ports_may_free_themselves = waiting == Waiting::to_send && NodeAccess::held(node) < world_.limit;
    if ((ports_may_free_themselves || waiting == Waiting::for_round) && !NodeAccess::scheduled(node)) {
        NodeAccess::scheduled(node) = true;
        soon_.push_back(&node);
    }
}

// --------------------------------------------------------------------------------------------------------- reductions

namespace {

/// The last contribution of some, and the first.
std::uint32_t last_of(std::span<const PacketBlock> blocks) {
    std::uint32_t last = 0;
    for (const PacketBlock& block : blocks) last = std::max(last, block.columns().last());
    return last;
}
std::uint32_t first_of(std::span<const PacketBlock> blocks) {
    std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
    for (const PacketBlock& block : blocks) first = std::min(first, block.first);
    return first;
}

/// A contribution that is in both.
std::uint32_t first_common(std::span<const PacketBlock> left, std::span<const PacketBlock> right) {
    for (const PacketBlock& block : left)
        for (const PacketBlock& other : right)
            if (const auto both = common(block, other)) return both->first;
    return 0;
}

}  // namespace

Value Partition::contribution(Node& node) {
    require_reduction(node);
    const Folder& folder = *world_.folder;
    if (!folder.has_elements()) return Value(folder.contribution(node.id(), pool_));
    return Value(Element{{static_cast<std::uint32_t>(node.id())}, folder.element(node.id())});
}

void Partition::judge_fold(const Node& node, std::span<const PacketBlock> left, std::span<const PacketBlock> right) {
    const auto told = [&](Breach what, std::uint32_t contribution, std::uint32_t other) {
        Violation breach;
        breach.breach = what;
        breach.round = round_;
        breach.node = node.id();
        breach.packet = contribution;
        breach.limit = other;
        breaches_.push_back(breach);
    };
    if (!world_.folder->reduction().commutative() && last_of(left) >= first_of(right))
        told(Breach::folded_out_of_order, last_of(left), first_of(right));
    if (common_size(left, right) != 0) told(Breach::folded_twice, first_common(left, right), 0);
}

Value Partition::fold(Node& node, const Value& left, const Value& right) {
    require_reduction(node);
    const Folder& folder = *world_.folder;
    if (left.is_element() && right.is_element()) {
        const Element l = left.element();
        const Element r = right.element();
        const PacketBlock a = l.block();
        const PacketBlock b = r.block();
        // Nearly all folds bring neighbours together, of which no contribution is in both.
        const bool in_order = a.first < b.first || folder.reduction().commutative();
        if (neighbours(a, b) && in_order) [[likely]]
            return Value(Element{joined_neighbours(a, b).columns(), folder.fold(l.bits, r.bits)});
        judge_fold(node, {&a, 1}, {&b, 1});
        if (const auto both = joined(a, b)) return Value(Element{both->columns(), folder.fold(l.bits, r.bits)});
    }
    require_made(node, left);
    require_made(node, right);
    const Value a = with_body(left);
    const Value b = with_body(right);
    if (!left.is_element() || !right.is_element()) judge_fold(node, a.body()->blocks(), b.body()->blocks());
    return Value(folder.fold(*a.body(), *b.body(), pool_));
}

Value Partition::with_body(const Value& value) {
    if (!value.is_element()) return value;
    return Value(world_.folder->body_of(value.element().block(), value.element().bits, pool_));
}

void Partition::result(Node& node, const Value& value) {
    require_reduction(node);
    require_made(node, value);
    Body*& kept = world_.results[node.id()];
    if (kept != nullptr) kept->release(pool_);
    const Value whole = with_body(value);
    whole.body()->hold();
    kept = whole.body();
    world_.auditor.result(index_, round_, node.id(), kept->blocks());
}

// ---------------------------------------------------------------------------------------------------------- receiving

void Partition::collect(const std::vector<Partition*>& senders) {
    in_.clear();
    for (Partition* sender : senders)
        sender->out_[index_].collect([&](std::span<const Message> batch) { in_.push_back(batch); });
}

bool Partition::count_claims(Round round) {
    bool contended = false;
    if (machine().duplex == Duplex::half) {
        // A send counts as well, and a node with fewer links than k has no more than those.
        const auto exceeds = [&](NodeId v) { return world_.claims[v].add(round) > machine().ports_of(v); };
        for_each_posted([&](const Message& message) { contended |= exceeds(message.from); });
        for (const std::span<const Message> batch : in_)
            for (const Message& message : batch) contended |= exceeds(message.to);
        return contended;
    }
    for (const std::span<const Message> batch : in_)
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (i + fetch_ahead < batch.size()) __builtin_prefetch(&world_.claims[batch[i + fetch_ahead].to], 1);
            contended |= world_.claims[batch[i].to].add(round) > world_.limit;
        }
    return contended;
}

void Partition::accept_sent(Round round) {
    for (const unsigned to : touched_)
        out_[to].posted([&](std::span<const Message> batch) {
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (i + fetch_ahead < batch.size()) {
                    world_.auditor.prefetch(batch[i + fetch_ahead].from);
                    if (world_.store) __builtin_prefetch(batch[i + fetch_ahead].body());
                }
                const Message& message = batch[i];
                PacketBlock single;
                if (world_.bundles)
                    world_.auditor.sent(index_, round, transfer_of(message, single));
                else
                    world_.auditor.sent(index_, round, hop_of(message));
            }
        });
}

/// A node that takes in several bundles in a round takes the lowest sender's first, as an audit of the schedule does: of two
/// that bring the same packet it is the other that comes again. With one port there are no two.
void Partition::put_in_order() {
    if (!world_.bundles || world_.limit == 1) return;
    ordered_.clear();
    for (const std::span<const Message> batch : in_) ordered_.insert(ordered_.end(), batch.begin(), batch.end());
    std::sort(ordered_.begin(), ordered_.end(),
              [](const Message& a, const Message& b) { return a.from != b.from ? a.from < b.from : a.out < b.out; });
    in_.assign(1, ordered_);
}

void Partition::accept_received(Round round) {
    put_in_order();
    for (const std::span<const Message> batch : in_)
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (i + fetch_ahead < batch.size()) {
                const Message& ahead = batch[i + fetch_ahead];
                if (world_.bundles) {
                    if (world_.store) __builtin_prefetch(ahead.body());
                    if (const Node* node = world_.slots[ahead.to].node()) NodeAccess::prefetch(*node);
                }
                __builtin_prefetch(&world_.slots[ahead.to], 1);
                world_.auditor.prefetch(ahead.to);
                if (world_.memory.holds_bytes()) world_.memory.prefetch(ahead.from, ahead.to);
            }
            const Message& message = batch[i];
            PacketBlock single;
            if (world_.bundles)
                world_.auditor.received(index_, round, transfer_of(message, single));
            else
                world_.auditor.received(index_, round, hop_of(message));
            deliver(message, round);
        }
    in_.clear();
}

void Partition::accept_received(Round round, const Message& message, const Transfer& transfer) {
    world_.auditor.received(index_, round, transfer);
    deliver(message, round);
}

void Partition::deliver(const Message& message, Round round) {
    Slot& slot = world_.slots[message.to];
    if (world_.store) {  // a reference for the letter, one for what the node holds
        message.body()->hold();
        world_.store->add(message.to, message.body());
    }
    if (world_.memory.holds_bytes() && slot.first_bytes()) world_.memory.move(message.from, message.to);
    switch (slot.state()) {
        case Slot::State::idle:
            slot.set(Slot::State::starting);
            first_mail_.push_back(kept(message));
            return;
        case Slot::State::starting: more_mail_.push_back(kept(message)); return;
        case Slot::State::ended: discard(message); return;
        case Slot::State::alive: break;
    }
    Node& node = *slot.node();
    NodeAccess::deliver(node, arrival_of(message, round), pool_);
    if (NodeAccess::waits_for(node, message.in)) {
        NodeAccess::waiting(node) = Waiting::nothing;
        NodeAccess::scheduled(node) = true;
        soon_.push_back(&node);
    }
}

void Partition::clear_mail() {
    for (const unsigned to : touched_) out_[to].restart();
    elements_.restart();
    touched_.clear();
    routes_.clear();
}

// ------------------------------------------------------------------------------------------------------ arbitration

void Partition::hold_port(NodeId sender) {
    if (Node* node = world_.slots[sender].node()) ++NodeAccess::held(*node);
}

void Partition::free_port(NodeId sender) {
    Node* node = world_.slots[sender].node();
    if (node == nullptr) return;
    --NodeAccess::held(*node);
    schedule(*node);
}

void Partition::note_error(NodeId v, std::exception_ptr error) {
    // One error is enough: of several in a round the lowest node's, whatever the order in which they ran.
    if (v < error_node_) {
        error_node_ = v;
        error_ = std::move(error);
    }
}

}  // namespace kport
