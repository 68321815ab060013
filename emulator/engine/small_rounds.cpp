#include "emulator/engine/small_rounds.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace kport {

namespace {

bool nobody_looks(const RunOptions& options) {
    return options.order == nullptr && options.phases == nullptr && options.recorded_schedule == nullptr;
}

}  // namespace

SmallRounds::SmallRounds(World& world, const Partition::Partitions& partitions, const RunOptions& options,
                         PastRounds* past)
    : world_(world), partitions_(partitions), past_(past), stop_(options.stop),
      may_be_small_(nobody_looks(options) && !world.wormhole && !world.job.machine.is_exclusive() && !world.exchange &&
                    world.last_line == 0),
      half_(world.job.machine.duplex == Duplex::half), claims_may_compete_(world.claims_may_compete()),
      nodes_most_(FewMessages::most / std::max<Port>(1, std::min(world.most_sends, world.topology.max_degree()))),
      last_(options.last_round == 0 ? world.max_rounds : std::min(world.max_rounds, options.last_round)),
      cursors_(world, partitions) {
    if (may_be_small_ && claims_may_compete_ && world.has_one_port())
        receivers_ = NodeMarks(world.topology.nodes(), world.share);
}

Round SmallRounds::run(Round round, std::uint64_t alarm, std::uint64_t& touched) {
    has_run_ = false;
    if (!may_be_small_ || round >= alarm) return round;
    if (world_.forwarding != nullptr && world_.splitting == nullptr) {
        run_cursors(round, alarm, touched);
        return round;
    }
    for (; round < alarm && is_small(round, touched); ++round) {
        world_.few.want(true);
        for (Partition* partition : busy_) partition->run(round);
        world_.few.want(false);
        has_run_ = !is_plain(round);
        if (has_run_) {
            put_into_mailboxes();
            return round;
        }
        move(round, touched);
    }
    return round;
}

void SmallRounds::run_cursors(Round& round, std::uint64_t alarm, std::uint64_t& touched) {
    if (!cursors_.take(touched, nodes_most_)) return;
    const RunsNodes here(partitions_.front()->pool());
    for (; round < alarm && cursors_.size() - 1 < nodes_most_ && !is_to_stop(round); ++round) {
        if (!cursors_.send(round) || world_.few.empty() || concerns_others() || claims_compete(round)) {
            has_run_ = true;
            touched = cursors_.forget_senders();
            busy_.clear();
            for (std::uint64_t rest = touched; rest != 0; rest &= rest - 1)
                busy_.push_back(partitions_[static_cast<unsigned>(std::countr_zero(rest))].get());
            for (Partition* partition : busy_) partition->begin(round);
            put_into_mailboxes();
            break;
        }
        moved_ += world_.few.all().size();
        close(round, cursors_.deliver(round));
    }
    touched |= cursors_.give_back();
}

/// Before the round, or because the round is not to be.
bool SmallRounds::is_to_stop(Round round) const {
    // Relaxed: nothing else is handed over with the flag.
    return round - 1 >= last_ || (stop_ != nullptr && round > 1 && stop_->load(std::memory_order_relaxed));
}

/// Whether the nodes that have something to do are so few that their messages are: no node sends more than its ports take.
bool SmallRounds::is_small(Round round, std::uint64_t touched) {
    if (is_to_stop(round) || world_.has_failed()) return false;
    busy_.clear();
    std::size_t nodes = 0;
    for (; touched != 0; touched &= touched - 1) {
        Partition& partition = *partitions_[static_cast<unsigned>(std::countr_zero(touched))];
        const std::size_t load = partition.load(round);
        if (load == 0) continue;
        if (partition.all_start()) return false;
        busy_.push_back(&partition);
        nodes += load;
    }
    return nodes != 0 && nodes <= nodes_most_;
}

/// Whether the round's messages move, and there is nothing else to be done with it.
bool SmallRounds::is_plain(Round round) {
    if (world_.few.empty()) return false;
    for (Partition* partition : busy_)
        if (partition->error() || !partition->breaches().empty() || partition->lets_round_pass() ||
            partition->wakes_in() != 0 || partition->sends_unheld())
            return false;
    return !concerns_others() && !claims_compete(round);
}

/// Whether some node is sent more messages than its ports take (Partition::count_claims).
bool SmallRounds::compete(Round round) const {
    const std::span<const Message> messages = world_.few.all();
    bool compete = false;
    const auto exceeds = [&](NodeId v) { return world_.claims[v].add(round) > world_.job.machine.receives_of(v); };
    for (const Message& message : messages) {
        if (half_) compete |= exceeds(message.from);
        compete |= exceeds(message.to);
    }
    if (compete)  // the engine counts again
        for (const Message& message : messages) {
            world_.claims[message.from].restart(round);
            world_.claims[message.to].restart(round);
        }
    return compete;
}

/// Whether a message goes to a node of another rank.
bool SmallRounds::concerns_others() const {
    return past_ != nullptr && std::ranges::any_of(world_.few.all(), [this](const Message& message) {
               return !world_.share.contains(message.to);
           });
}

void SmallRounds::put_into_mailboxes() {
    while (!world_.few.empty()) {
        const Message& message = world_.few.take_first();
        partitions_[world_.deal.home(message.from)]->post_in_mailbox(message);
    }
    world_.few.restart();
    for (Partition* partition : busy_) partition->publish();
}

void SmallRounds::move(Round round, std::uint64_t& touched) {
    const std::span<Message> messages = world_.few.take_all();
    moved_ += messages.size();
    touched = 0;
    for (const Partition* partition : busy_) touched |= std::uint64_t{1} << partition->index();
    for (const Message& message : messages) touched |= std::uint64_t{1} << world_.deal.home(message.to);
    Partition::accept_few(round, messages, partitions_);
    for (Partition* partition : busy_) partition->clear_mail();
    close(round, touched);
}

void SmallRounds::close(Round round, std::uint64_t shown) {
    std::size_t count = 0;
    for (std::uint64_t rest = shown; rest != 0; rest &= rest - 1)
        indices_[count++] = static_cast<unsigned>(std::countr_zero(rest));
    const std::span<const unsigned> shards(indices_.data(), count);
    if (past_ == nullptr)
        world_.rounds.close(round, shards);
    else
        past_->push_alone({}, world_.rounds.take(round, shards));
}

void SmallRounds::discard() {
    while (!world_.few.empty()) {
        const Message& message = world_.few.take_first();
        partitions_[world_.deal.home(message.from)]->discard(message);
    }
}

}  // namespace kport
