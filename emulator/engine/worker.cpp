#include "emulator/engine/worker.hpp"

#include <algorithm>
#include <utility>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

/// Work between two looks at the clock: so many messages, or as much as it takes to copy so many bytes for each of them.
constexpr std::uint64_t messages_between_looks = 4096;
constexpr std::uint64_t bytes_as_a_message = 1024;

/// A counter that one thread writes and others look at.
template <class T>
void set(std::atomic<T>& counter, T value) {
    counter.store(value, std::memory_order_relaxed);
}

}  // namespace

FreeWorld::FreeWorld(const Job& the_job, const RunOptions& options)
    : Stage(the_job, options), inboxes(topology.nodes()), asked(options.stop),
      waits_its_turn(options.order != nullptr) {
    if (job.all_start || job.starters_wait_until.empty()) return;
    starts_in.assign(topology.nodes(), ~Round{0});
    for (std::size_t i = 0; i < job.starters.size(); ++i) {
        Round& first = starts_in[job.starters[i]];
        first = std::min(first, job.starters_wait_until[i]);
    }
}

// ------------------------------------------------------------------------------------------------------ running nodes

void Worker::run(NodeId v) {
    const RunsNodes here(pool_);
    next_ = v;
    while (next_ != no_node) {
        const NodeId now = std::exchange(next_, no_node);
        if (world_.stops()) break;  // awake for ever, with its mail
        run_node(now);
    }
    at_work_.rests();
}

void Worker::run_node(NodeId v) {
    const bool started = world_.slots[v].state() == Slot::State::alive;
    FreeNode& node = started ? node_at(v) : make_node(v);
    NodeAccess::host(node) = this;
    running.node = &node;
    round_ = node.clock;
    ports_used_.restart();
    if (NodeAccess::send_round(node) == round_)
        for (const Port port : node.sent_by) ports_used_.add(port);

    if (started) {
        if (!goes_on(node)) return;
    } else if (!start_program(node)) {
        end(node);
        return;
    }
    at_work_.resumes(node.id(), round_);
    while (!ends(node))
        if (!goes_on(node)) return;
    end(node);
}

FreeNode& Worker::make_node(NodeId v) {
    Slot& slot = world_.slots[v];
    const bool by_itself = world_.job.all_start || world_.job.others_receive || slot.state() == Slot::State::starting;
    auto* node = new (pool_.allocate(sizeof(FreeNode))) FreeNode(*this, v);
    node->acts_from = world_.acts_from(v, slot.state() == Slot::State::starting);
    ++nodes_left_;
    slot.set(node);
    (void)take_in(*node);
    if (!by_itself) {
        node->clock = NodeAccess::arrivals(*node).first().arrival.round + 1;
        node->senders.took(true, false);
    }
    return *node;
}

bool Worker::goes_on(FreeNode& node) {
    judge_waiting(node);
    Waiting& waiting = NodeAccess::waiting(node);
    // To send it waits only where the run was stopped; and several strands need rounds.
    while (waiting != Waiting::to_send && NodeAccess::strands(node) == nullptr) {
        if (waiting == Waiting::for_round) {
            if (is_out_of_rounds() || world_.stops()) break;
            let_pass_on_purpose(NodeAccess::awaited(node));
            if (round_ < NodeAccess::awaited(node)) continue;
            waiting = Waiting::nothing;
            return true;
        }
        if (NodeAccess::has_awaited(node)) {
            waiting = Waiting::nothing;
            return true;
        }
        if (take_in(node)) continue;
        node.clock = round_;
        note_order(node);
        if (world_.inboxes[node.id()].sleep()) return false;  // from here on it may run elsewhere
    }
    node.clock = round_;
    note_order(node);
    return false;
}

bool Worker::is_out_of_rounds() {
    if (round_ <= world_.max_rounds) [[likely]]
        return false;
    set(world_.out_of_rounds, true);  // this node alone goes no further: what the others do depends on no luck
    return true;
}

void Worker::let_pass() {
    invariant(round_ != ~Round{0}, "fewer than 2^32 rounds");
    ++round_;
}

void Worker::let_pass_on_purpose(Round until) {
    const Round first = round_;
    let_pass();
    round_ = static_cast<Round>(std::clamp<std::uint64_t>(until, round_, std::uint64_t{world_.max_rounds} + 1));
    traffic_.let_pass(first, round_);
}

void Worker::judge_waiting(const FreeNode& node) {
    const bool knows_round = (NodeAccess::asked(node) & NodeAccess::Asked::the_round) != 0;
    const bool is_early = NodeAccess::waiting(node) == Waiting::for_round && NodeAccess::awaited(node) < node.acts_from;
    if (knows_round || is_early) judge_acting(node);
}

void Worker::end(FreeNode& node) {
    judge_acting(node);
    note_order(node);
    keep_letters(node.id());
    if (judge_passed(node.id())) stop_as(NeedsRounds::order);  // unless rounds say that it had come back
    if (world_.job.collective.signals()) traffic_.add_left(round_, node.id());
    remove(node);
}

void Worker::remove(FreeNode& node) {
    if (world_.slots[node.id()].has_passed()) world_.passed_on.forget(node.id(), pool_);
    world_.slots[node.id()].end(node.senders.note());
    NodeAccess::clear(node, pool_);
    node.~FreeNode();
    pool_.deallocate(&node, sizeof(FreeNode));
    --nodes_left_;
}

void Worker::note_order(FreeNode& node) {
    using Asked = NodeAccess::Asked;
    const unsigned asked = NodeAccess::asked(node);
    node.senders.took((asked & Asked::any) != 0, (asked & Asked::by_port) != 0);
    if (node.senders.order_matters() || (asked & (Asked::whether_any | Asked::strands)) != 0)
        stop_as(NeedsRounds::order);
}

void Worker::stop_as(NeedsRounds why) {
    set(world_.needs_rounds, why);
    set(world_.stop, true);
}

// ---------------------------------------------------------------------------------------------------------- receiving

bool Worker::take_in(FreeNode& node) {
    NodeAccess::Letter* letter = world_.inboxes[node.id()].take();
    if (letter == nullptr) return false;
    while (letter != nullptr) take_in(node, std::exchange(letter, letter->next));
    return true;
}

void Worker::take_in(FreeNode& node, NodeAccess::Letter* letter) {
    --letters_left_;
    if (!node.senders.any()) set(reached_, reached() + 1);
    const NodeId v = node.id();
    const Arrival& arrival = letter->arrival;
    const bool direct = !world_.wormhole || world_.topology.across(v, arrival.port).node == arrival.from;
    node.senders.add(arrival.from, direct);
    if (world_.seals) take_value(v, letter->arrival);
    NodeAccess::deliver(node, letter);
}

void Worker::take_value(NodeId v, Arrival& arrival) {
    Value& value = NodeAccess::value(arrival);
    if (value.body() != nullptr) {
        Runner::take_value(v, arrival.from, arrival.round, *value.body());
        return;
    }
    Element element = value.element();
    Runner::take_value(v, arrival.from, arrival.round, element);
    value = Value(element);
}

void Worker::received(Node& node, const Arrival& arrival) {
    auto& receiver = static_cast<FreeNode&>(node);
    judge_waiting(receiver);  // it may not have come to wait
    if (arrival.round >= round_) round_ = arrival.round + 1;
    receiver.acts_from = 0;
    keep_bytes(node.id(), arrival);
}

void Worker::keep_bytes(NodeId v, const Arrival& arrival) {
    if (world_.seals) return;  // what has a seal is looked at when it is taken in
    hold_bytes(v, arrival.from, arrival.value().body(), arrival.round);
}

void Worker::discard_left_over(NodeId v) {
    const RunsNodes here(pool_);
    NodeAccess::Letter* letter = world_.inboxes[v].take();
    while (letter != nullptr) {
        --letters_left_;
        NodeAccess::discard(std::exchange(letter, letter->next), pool_);
    }
}

void Worker::keep_bytes_left(NodeId v) {
    const RunsNodes here(pool_);
    keep_letters(v);
    if (judge_passed(v)) stop_as(NeedsRounds::order);
}

void Worker::keep_letters(NodeId v) {
    NodeAccess::arrivals(node_at(v)).for_each([&](const Arrival& arrival) { keep_bytes(v, arrival); });
}

bool Worker::take_in_left_over(NodeId v) {
    const RunsNodes here(pool_);
    Slot& slot = world_.slots[v];
    const bool waits = slot.state() == Slot::State::alive;
    Senders senders = waits ? node_at(v).senders : Senders(slot.note());
    NodeAccess::Letter* letter = world_.inboxes[v].take();
    const bool overlooked =
        letter != nullptr && slot.state() != Slot::State::ended && slot.state() != Slot::State::alive;
    while (letter != nullptr) {
        NodeAccess::Letter* const now = std::exchange(letter, letter->next);
        --letters_left_;
        const Arrival& arrival = now->arrival;
        if (waits || slot.state() == Slot::State::ended)
            senders.add(arrival.from, !world_.wormhole || world_.topology.across(v, arrival.port).node == arrival.from);
        if (slot.state() == Slot::State::ended) {
            if (world_.seals)
                take_value(v, now->arrival);
            else
                keep_bytes(v, now->arrival);
        }
        NodeAccess::discard(now, pool_);
    }
    // A node that has come to max_rounds by one letter may have had to act on another one before.
    if (senders.order_matters()) set(world_.needs_rounds, NeedsRounds::order);
    return overlooked;
}

void Worker::end_by_force(NodeId v) {
    const RunsNodes here(pool_);
    remove(node_at(v));
}

void Worker::forget(NodeId v) {
    const RunsNodes here(pool_);
    world_.clear(v, pool_);
}

void Worker::tell_waiting(NodeId v, Auditor& auditor) const { Runner::tell_waiting(node_at(v), auditor); }

Violation Worker::overlooked(NodeId v) const {
    Violation waits;
    waits.breach = Breach::waits_for_ever;
    waits.node = v;
    return waits;
}

void Worker::restart() {
    traffic_.restart(pool_);
    breaches_.clear();
    compared_ = {};
    set(sent_, std::uint64_t{0});
    set(reached_, std::uint64_t{0});
    set(latest_, Round{0});
}

void Worker::told_result(NodeId v, Body& result) {
    judge_acting(node_at(v));
    result.hold();
    traffic_.add_result(round_, v, &result);
}

void Worker::told_breach(const Node& node) { judge_acting(static_cast<const FreeNode&>(node)); }

// ------------------------------------------------------------------------------------------------------------ sending

std::span<const SendRequest> Worker::start(Node& node, std::span<const SendRequest> sends, bool together) {
    auto& sender = static_cast<FreeNode&>(node);
    judge_acting(sender);
    for (const SendRequest& send : sends)
        while (true) {
            if (emit(sender, send)) break;
            if (std::exchange(together, false)) note_overrun(node, send, sender.partner);
            if (is_out_of_rounds() || world_.stops()) return sends;  // a program that sends for ever
            let_pass();
        }
    return {};
}

bool Worker::emit(FreeNode& node, const SendRequest& request) {
    std::uint32_t& sends = NodeAccess::sends(node, round_);
    if (sends >= world_.limit && !may_send_more(node.id(), sends)) return false;
    const Port out = leaves_by(node.id(), request);
    if (out >= world_.topology.ports()) [[unlikely]]
        refuse_port(node.id(), out);
    const bool is_single = names_port(request);
    if (sends == 0) {
        ports_used_.restart();
        node.sent_by.clear();
    } else {
        const bool is_full = is_single ? ports_used_.contains(out) : sends >= machine().sends_of(node.id());
        if (is_full || meets_another(node, request, out, node.partner)) return false;
    }

    if (world_.wormhole) {
        route_.clear();
        const LinkEnd end = append_route(node, request, out, route_);
        node.partner = end.node;
        post(node, request, end, route_);
    } else {
        const LinkEnd end = world_.topology.across(node.id(), out);
        if (end.node == no_node) [[unlikely]]
            refuse_port(node.id(), out);
        node.partner = end.node;
        post(node, request, end, {&out, 1});
    }
    if (is_single) {
        ports_used_.add(out);
        if (world_.most_sends > 1) node.sent_by.push_back(out);
    }
    ++sends;
    return true;
}

Arrival Worker::arrival_of(FreeNode& node, const Cargo& cargo, Port in) {
    if (!world_.bundles && cargo.kind() == Cargo::Kind::packet) {
        // What the program has not received may be there or not: only rounds tell.
        if (world_.memory.holds_bytes() && !world_.slots[node.id()].holds_bytes()) stop_as(NeedsRounds::order);
        return {node.id(), in, round_, checked(node.id(), cargo.packet())};
    }
    if (!world_.folder) {
        const Bundle bundle = bundle_of(node, cargo, world_.job.collective.comes_once());
        if (!bundle.complete) stop_as(NeedsRounds::order);
        return {node.id(), in, round_, Value(bundle.body), world_.numbering};
    }
    return {node.id(), in, round_, sent_value(node, cargo), world_.numbering};
}

std::uint64_t Worker::bytes_of(const Arrival& arrival) const {
    if (const Body* body = arrival.value().body()) return body->byte_count();
    return world_.holds_bytes() ? world_.job.collective.packet_bytes : 0;
}

void Worker::post(FreeNode& node, const SendRequest& request, LinkEnd end, std::span<const Port> route) {
    // What the receiver will need lies anywhere in memory: fetched together, and while the letter is written.
    __builtin_prefetch(&world_.inboxes[end.node], 1);
    __builtin_prefetch(&world_.slots[end.node], 1);
    if (world_.memory.holds_bytes()) __builtin_prefetch(world_.memory.at(end.node), 1);
    Arrival arrival = arrival_of(node, request.cargo(), end.port);
    if (is_out_of_rounds()) return;  // as in lockstep programs do what they do in this round, but nothing moves
    const Value& value = arrival.value();
    FewBlocks few;
    std::span<const PacketBlock> packets;
    if (value.is_element()) {
        few = value.element().blocks();
        packets = few.blocks();
    } else if (value.body() != nullptr) {
        packets = value.body()->blocks();
    }
    traffic_.add(round_, node.id(), end.node, route, packets, packets.empty() ? arrival.packet().id() : 0);
    set(sent_, sent() + 1);
    at_work_.resumes(node.id(), round_);  // a program may send often before it waits
    unshown_ += 1 + bytes_of(arrival) / bytes_as_a_message;
    if (unshown_ >= messages_between_looks) {
        unshown_ = 0;
        world_.show();
    }
    if (round_ > latest()) set(latest_, round_);

    auto* letter = new (pool_.allocate(sizeof(NodeAccess::Letter))) NodeAccess::Letter{std::move(arrival)};
    ++letters_left_;
    if (!world_.inboxes[end.node].push(letter)) return;
    if (!loses_wake_up(end.node, round_)) wake(end.node);
}

void Worker::wake(NodeId v) {
    if (next_ == no_node && !world_.waits_its_turn)
        next_ = v;
    else
        world_.spawn(v);
}

}  // namespace kport
