#include "emulator/engine/partition.hpp"

#include <algorithm>
#include <utility>

#include "emulator/base/error.hpp"
#include "emulator/engine/rank_mail.hpp"

namespace kport {

namespace {

bool by_sender(const Message& a, const Message& b) { return a.from != b.from ? a.from < b.from : a.out < b.out; }

/// Messages ahead of the one at hand whose node is fetched: the nodes of a round lie far apart in memory.
constexpr std::size_t fetch_ahead = 12;

}  // namespace

Partition::Partition(World& world, unsigned index)
    : Runner(world), world_(world), index_(index), goes_in_step_(world.last_line != 0), out_(world.deal.partitions()) {
    for (Mailbox<Message>& mail : out_) mail.share(mail_memory_);  // to some in this round, to others in the next
    if (world.has_one_port())
        receivers_ = NodeMarks(world.topology.nodes(), world.deal.share(world.deal.partitions(), index));
}

void Partition::tear_down() {
    const RunsNodes here(pool_);
    for_each_alive([&](Node& node) {
        if (world_.slots[node.id()].has_passed()) world_.passed_on.forget(node.id(), pool_);
        NodeAccess::clear(node, pool_);
    });
    if (world_.bundles) discard_all();
}

void Partition::judge_left() {
    for_each_alive([&](const Node& node) { judge_passed(node.id()); });
}

void Partition::discard_all() {
    first_mail_.for_each([this](std::span<const Message> batch) {
        for (const Message& message : batch) discard(message);
    });
    for (const Message& message : more_mail_) discard(message);
    if (mail_is_here_) for_each_posted([&](const Message& message) { discard(message); });
    if (is_own()) world_.deal.for_each(index_, world_.topology.nodes(), [this](NodeId v) { world_.clear(v, pool_); });
}

// ---------------------------------------------------------------------------------------------- running the programs

void Partition::run(Round round) {
    begin(round);
    const RunsNodes here(pool_);
    if (world_.exchange)
        world_.attempt.make([&] { run_exchange(); });
    else if (world_.splitting != nullptr)
        world_.attempt.make([&] { run_splitting(); });
    else if (world_.last_line != 0)
        world_.attempt.make([&] { run_in_step(); });
    else if (world_.forwarding != nullptr)
        run_cursors();
    else
        run_nodes(round);
    publish();
    at_work_.rests();
}

void Partition::run_nodes(Round round) {
    now_.swap(soon_);
    soon_.clear();
    if (wakes_in() == round) {
        const auto& [awake, starters, cursors] = asleep_.begin()->second;
        due_.insert(due_.end(), cursors.begin(), cursors.end());
        now_.insert(now_.end(), awake.begin(), awake.end());
        starters_.insert(starters_.end(), starters.begin(), starters.end());
        asleep_.erase(asleep_.begin());
    }

    // Nodes to which several messages came at once get their letters first, so that the lowest sender's is the first.
    for (const Message& message : more_mail_) give(made_node(message.to), message, round - 1);
    if (world_.timetable != nullptr)
        run_by_timetable();
    else if (world_.order == nullptr)
        run_as_it_comes(round);
    else
        run_in_order(round);
}

void Partition::publish() {
    for (const unsigned to : touched_) out_[to].publish();
}

void Partition::run_as_it_comes(Round round) {
    const bool some_are_made = !more_mail_.empty();
    more_mail_.clear();
    first_mail_.for_each([&](std::span<const Message> batch) {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (i + fetch_ahead < batch.size()) __builtin_prefetch(&world_.slots[batch[i + fetch_ahead].to], 1);
            const Message& message = batch[i];
            Node* made = some_are_made ? world_.slots[message.to].node() : nullptr;
            Node& node = made != nullptr ? *made : make_node(message.to);
            give(node, message, round - 1);
            start_node(node);
        }
    });
    first_mail_.restart();
    for (const NodeId v : starters_) start_blank(v);
    starters_.clear();
    if (std::exchange(all_start_, false))
        world_.deal.for_each(index_, world_.topology.nodes(), [this](NodeId v) { start_blank(v); });

    for (std::size_t i = 0; i < now_.size(); ++i) {
        if (i + 2 * fetch_ahead < now_.size()) NodeAccess::prefetch(*now_[i + 2 * fetch_ahead]);
        if (i + fetch_ahead < now_.size()) NodeAccess::prefetch_program(*now_[i + fetch_ahead]);
        if (i + fetch_ahead / 2 < now_.size()) NodeAccess::prefetch_letter(*now_[i + fetch_ahead / 2]);
        if (world_.store && i + fetch_ahead < now_.size()) world_.store->prefetch_word(now_[i + fetch_ahead]->id());
        if (world_.store && i + fetch_ahead / 2 < now_.size())
            world_.store->prefetch_body(now_[i + fetch_ahead / 2]->id());
        resume(*now_[i]);
    }
}

std::uint64_t Partition::content_in_body(const Element& element) {
    return reinterpret_cast<std::uint64_t>(world_.folder->body_of(element, pool_));
}

Node& Partition::make_node(NodeId v) {
    Node* node = new (pool_.allocate(sizeof(Node))) Node(*this, v);
    NodeAccess::holds(*node) = v == world_.job.collective.root;
    if (world_.store) world_.store->seed(v, pool_);
    world_.slots[v].set(node);
    ++alive_;
    return *node;
}

void Partition::start_blank(NodeId v) {
    if (world_.slots[v].state() == Slot::State::idle) start_node(make_node(v));
}

void Partition::start_node(Node& node) {
    ports_used_.restart();
    partner_ = no_node;
    if (start_program(node)) run_program(node);
}

inline void Partition::leave(Node& node, bool is_over) {
    if (is_over)
        end(node);
    else
        schedule(node);
}

void Partition::resume(Node& node) {
    running.node = &node;
    ports_used_.restart();
    partner_ = no_node;
    NodeAccess::scheduled(node) = false;
    if (NodeAccess::waiting(node) == Waiting::to_send) {
        std::span<const SendRequest> wanted = NodeAccess::wanted(node);
        if (!go_on_sending(node, wanted)) return;
        NodeAccess::set_wanted(node, wanted);
        if (!wanted.empty()) {
            schedule(node);
            return;
        }
    } else if (NodeAccess::waiting(node) == Waiting::in_strands) [[unlikely]] {
        at_work_.resumes(node.id(), round_);
        if (go_on_in_strands(node)) leave(node, strands_end(node, false));
        return;
    }
    NodeAccess::waiting(node) = Waiting::nothing;
    run_program(node);
}

void Partition::run_program(Node& node) {
    at_work_.resumes(node.id(), round_);
    bool is_over = ends(node);
    if (NodeAccess::strands(node) != nullptr) [[unlikely]]
        is_over = strands_end(node, is_over);
    leave(node, is_over);
}

void Partition::end(Node& node) {
    judge_passed(node.id());
    if (world_.job.collective.signals()) [[unlikely]]
        world_.auditor.left(index_, round_, node.id());
    world_.slots[node.id()].set(Slot::State::ended);
    NodeAccess::clear(node, pool_);
    pool_.deallocate(&node, sizeof(Node));
    --alive_;
}

void Partition::schedule(Node& node) {
    const bool waits_for_round = NodeAccess::waits(node, Waiting::for_round);
    lets_round_pass_ |= waits_for_round;
    if (NodeAccess::scheduled(node)) return;
    const std::uint32_t held = NodeAccess::held(node);
    const bool ports_may_free_themselves =
        NodeAccess::waits(node, Waiting::to_send) && (held == 0 || held < machine().sends_of(node.id()));
    if (!ports_may_free_themselves && !waits_for_round) return;
    NodeAccess::scheduled(node) = true;
    // A node of several strands is run in every round: another one may wait for a message.
    const bool sleeps = NodeAccess::waiting(node) == Waiting::for_round && NodeAccess::awaited(node) > round_ + 1;
    (sleeps ? asleep_[NodeAccess::awaited(node)].nodes : soon_).push_back(&node);
}

// ---------------------------------------------------------------------------------------------------------- receiving

void Partition::collect(const std::vector<Partition*>& senders, const RankMail* mail) {
    in_.clear();
    const auto take_in = [&](Partition* sender) {
        sender->out_[index_].collect([&](std::span<const Message> batch) { in_.push_back({batch}); });
    };
    auto own = senders.begin();
    if (mail != nullptr)
        for (const RankMail::Batch& batch : mail->batches()) {
            for (; own != senders.end() && (*own)->index() < batch.from; ++own) take_in(*own);
            if (batch.to == index_) in_.push_back({batch.messages, batch.bytes.data()});
        }
    std::for_each(own, senders.end(), take_in);
}

bool Partition::count_claims(Round round) {
    bool contended = false;
    if (machine().duplex == Duplex::half) {
        // A send counts as well, and a node with fewer links than k has no more than those.
        const auto exceeds = [&](NodeId v) { return world_.claims[v].add(round) > machine().ports_of(v); };
        for_each_posted([&](const Message& message) { contended |= exceeds(message.from); });
        for (const Incoming& batch : in_)
            for (const Message& message : batch.messages) contended |= exceeds(message.to);
        return contended;
    }
    if (world_.has_one_port())
        return receivers_.has_twice([&](auto&& visit) {
            for (const Incoming& batch : in_)
                for (const Message& message : batch.messages) visit(message.to);
        });
    for (const auto& [batch, bytes] : in_)
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (i + fetch_ahead < batch.size()) __builtin_prefetch(&world_.claims[batch[i + fetch_ahead].to], 1);
            contended |= world_.claims[batch[i].to].add(round) > world_.receive_limit;
        }
    return contended;
}

inline void Partition::show_sent(const Message& message, Round round) {
    if (message.has_packet()) {
        world_.rounds.sent(index_, round, hop_of(message));
    } else {
        FewBlocks few;
        world_.rounds.sent(index_, round, transfer_of(message, few));
    }
}

void Partition::accept_sent(Round round) {
    if (world_.last_line != 0) return world_.attempt.make([&] { accept_sent_in_step(round); });
    if (world_.forwarding != nullptr && world_.splitting == nullptr) return accept_sent_by_cursors(round);
    for (const unsigned to : touched_)
        out_[to].posted([&](std::span<const Message> batch) {
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (i + fetch_ahead < batch.size()) {
                    world_.auditor.prefetch_sender(batch[i + fetch_ahead].from);
                    if (batch[i + fetch_ahead].has_body()) __builtin_prefetch(batch[i + fetch_ahead].body());
                }
                show_sent(batch[i], round);
            }
        });
}

void Partition::put_in_order() {
    ordered_.clear();
    for (const Incoming& batch : in_) ordered_.insert(ordered_.end(), batch.messages.begin(), batch.messages.end());
    std::sort(ordered_.begin(), ordered_.end(), by_sender);
    in_.assign(1, {ordered_});
}

// In line: a broadcast does little more for a message than this.
[[gnu::always_inline]] inline void Partition::deliver(const Message& message, Round round, const std::byte* sent) {
    if (world_.forwarding != nullptr) return arrive_late(message);
    Slot& slot = world_.slots[message.to];
    if (world_.store && message.has_packet())
        world_.store->move(message.from, message.to, static_cast<std::uint32_t>(message.packet().id()));
    else if (!world_.seals)
        hold_bytes(message.to, message.from, world_.store ? message.body() : nullptr, round, sent);
    else if (message.has_element())
        take_value(message.to, message.from, round, message.element());
    else
        take_value(message.to, message.from, round, *message.body());
    if (world_.timetable != nullptr) {
        arrive_by_timetable(message);
        return;
    }
    // What comes back has broken NODUP or NOHO, which its auditor has just found, or is allowed by the strict reading alone.
    if (slot.has_passed() && (!world_.held_once(index_) || machine().noho == Noho::strict)) [[unlikely]] {
        FewBlocks few;
        world_.passed_on.note(message.to, round, PassedOn::Did::get_back, packets_of(message, few), pool_);
    }
    switch (slot.state()) {
        case Slot::State::idle:
            if (loses_wake_up(message.to, round)) {
                discard(message);
                return;
            }
            slot.set(Slot::State::starting);
            first_mail_.add(kept(message));
            return;
        case Slot::State::starting: more_mail_.push_back(kept(message)); return;
        case Slot::State::ended: discard(message); return;
        case Slot::State::alive: break;
    }
    Node& node = *slot.node();
    give(node, message, round);
    if (NodeAccess::waits_for(node, message.from, message.in) && !loses_wake_up(message.to, round)) {
        NodeAccess::wake(node);
        soon_.push_back(&node);
    }
}

[[gnu::always_inline]] inline void Partition::take_in(const Message& message, Round round, const std::byte* sent) {
    if (message.has_packet()) {
        world_.rounds.received(index_, round, hop_of(message));
    } else {
        FewBlocks few;
        world_.rounds.received(index_, round, transfer_of(message, few));
    }
    if (world_.auditor.in_doubt()) [[unlikely]]
        return discard(message);
    deliver(message, round, sent);
}

void Partition::accept_received(Round round) {
    if (world_.exchange) return world_.attempt.make([&] { accept_exchange(round); });
    if (world_.last_line != 0) return world_.attempt.make([&] { accept_received_in_step(round); });
    const bool splits = world_.splitting != nullptr;
    if (world_.forwarding != nullptr && !splits) return accept_received_by_cursors(round);
    // A node that takes in several bundles in a round takes the lowest sender's first, as an audit of the schedule does: of
    // two that bring the same packet it is the other that comes again. With one receive there are no two, nor where nodes split.
    if (world_.bundles && world_.most_receives != 1 && !splits) put_in_order();
    const std::uint64_t packet_bytes = world_.job.collective.packet_bytes;
    for (const auto& [batch, bytes] : in_)
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (i + fetch_ahead < batch.size()) {
                const Message& ahead = batch[i + fetch_ahead];
                if (world_.bundles) {
                    if (ahead.has_body())
                        Body::prefetch(ahead.body());
                    else if (world_.store && ahead.has_packet())
                        world_.store->prefetch(ahead.from, ahead.to, static_cast<std::uint32_t>(ahead.packet().id()));
                }
                if (world_.timetable != nullptr) {
                    __builtin_prefetch(&world_.cursors[ahead.to], 1);
                } else if (splits) {
                    __builtin_prefetch(&world_.reached[ahead.to], 1);
                    world_.store->prefetch_word(ahead.to);
                } else {
                    if (const Node* node = world_.bundles ? world_.slots[ahead.to].node() : nullptr)
                        NodeAccess::prefetch(*node);
                    __builtin_prefetch(&world_.slots[ahead.to], 1);
                }
                world_.auditor.prefetch(ahead.to);
                if (world_.memory.holds_bytes()) world_.memory.prefetch(ahead.from, ahead.to);
            }
            take_in(batch[i], round, bytes != nullptr ? bytes + i * packet_bytes : nullptr);
        }
    in_.clear();
}

void Partition::accept_few(Round round, std::span<Message> messages, const Partitions& partitions) {
    const World& world = partitions.front()->world_;
    for (const Message& message : messages) partitions[world.deal.home(message.from)]->show_sent(message, round);
    if (world.bundles && world.most_receives != 1) std::ranges::sort(messages, by_sender);
    for (const Message& message : messages) partitions[world.deal.home(message.to)]->take_in(message, round);
}

void Partition::accept_received(Round round, const Message& message, const Transfer& transfer) {
    world_.rounds.received(index_, round, transfer);
    deliver(message, round);
}

void Partition::clear_mail() {
    for (const unsigned to : touched_) {
        if (!is_own(to)) out_[to].drop();  // it went to another rank as a letter
        out_[to].restart();
    }
    elements_.restart();
    touched_.clear();
    routes_.clear();
}

// ------------------------------------------------------------------------------------------------------ arbitration

void Partition::hold_port(NodeId sender) {
    if (!is_own()) return;
    if (world_.keeps_cursors()) {
        ++ports_held_[sender];
        return;
    }
    if (Node* node = world_.slots[sender].node()) ++NodeAccess::held(*node);
}

void Partition::free_port(NodeId sender) {
    if (!is_own()) return;
    if (world_.keeps_cursors()) {
        if (--ports_held_[sender] == 0) ports_held_.erase(sender);
        return;
    }
    Node* node = world_.slots[sender].node();
    if (node == nullptr) return;
    --NodeAccess::held(*node);
    schedule(*node);
}

Node& Partition::made_node(NodeId v) {
    Node* node = world_.slots[v].node();
    return node != nullptr ? *node : make_node(v);
}

void Partition::run_in_order(Round round) {
    more_mail_.clear();
    first_mail_.for_each([&](std::span<const Message> batch) {
        for (const Message& message : batch) {
            now_.push_back(&made_node(message.to));
            give(*now_.back(), message, round - 1);
        }
    });
    first_mail_.restart();
    const auto make_blank = [&](NodeId v) {
        if (world_.slots[v].state() == Slot::State::idle) now_.push_back(&make_node(v));
    };
    for (const NodeId v : starters_) make_blank(v);
    starters_.clear();
    if (std::exchange(all_start_, false)) world_.deal.for_each(index_, world_.topology.nodes(), make_blank);

    rearrange(now_, *world_.order);
    for (Node* node : now_)
        if (NodeAccess::has_started(*node))
            resume(*node);
        else
            start_node(*node);
}

}  // namespace kport
