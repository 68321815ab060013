#include "app/files/mscclpp_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/files/fault_list.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::mscclpp {

namespace {

using slots::Move;
using slots::Receipt;
using slots::Slot;

/// Appended to the name of a transfer that continues after its operation has ended.
constexpr const char* by_port = " by port";

/// A transfer by a port channel that may still be in progress.
struct OpenTransfer {
    EventId event = no_event;
    ChannelEnd channel;
    bool is_met = false;  ///< the block's threads have met since it was started
};

/// A block, as far as its events have been added.
struct BlockState {
    NodeId rank = 0;
    std::uint32_t block = 0;
    EventId gate = no_event;         ///< where all threads last met
    EventId last_sync = no_event;    ///< signal, wait or flush since then
    std::vector<EventId> data = {};  ///< operations since then, unordered
    std::vector<OpenTransfer> open = {};
};

/// A signal or a wait.
struct Signal {
    EventId event = no_event;
    bool relaxed = false;
    std::uint32_t block = 0;
};

struct Meeting {
    std::vector<EventId> arrivals = {};
    std::vector<std::uint64_t> blocks = {};  ///< number of blocks that each arrival waits for
    EventId end = no_event;
};

class Builder {
  public:
    Builder(const Plan& plan, const slots::Layout& layout) : plan_(plan), layout_(layout) {
        built_.program.blocks_are_ordered = false;
    }

    BuiltProgram build() {
        for (NodeId rank = 0; rank < plan_.gpus.size(); ++rank)
            begins_.push_back(add({rank, RankEvent::no_block, 0, "begin"}));
        std::vector<std::vector<BlockState>> blocks(plan_.gpus.size());
        for (NodeId rank = 0; rank < plan_.gpus.size(); ++rank)
            for (std::uint32_t i = 0; i < plan_.gpus[rank].blocks.size(); ++i)
                add_block(blocks[rank].emplace_back(BlockState{rank, i, begins_[rank]}), plan_.gpus[rank].blocks[i]);
        for (NodeId rank = 0; rank < plan_.gpus.size(); ++rank) add_end(rank, blocks[rank]);
        match_signals();
        match_packets();
        check_meetings();
        demand_presence();
        built_.findings = faults_.take();
        return std::move(built_);
    }

  private:
    EventId add(RankEvent event) { return built_.program.add(std::move(event)); }
    void order(EventId before, EventId after, Before why = Before::in_program) {
        built_.program.graph.order(before, after, why);
    }

    void add_block(BlockState& block, const std::vector<Operation>& operations) {
        for (std::uint32_t i = 0; i < operations.size(); ++i) {
            const Operation& operation = operations[i];
            switch (operation.type->kind) {
                case Kind::meet: add_meeting(block, operation, i); break;
                case Kind::signal:
                case Kind::wait:
                case Kind::flush: add_sync(block, operation, i); break;
                case Kind::copy:
                case Kind::reduce: add_data(block, operation, i); break;
                case Kind::unjudged: break;
            }
        }
    }

    [[nodiscard]] std::string what(const Operation& operation) const {
        std::string text(operation.type->name);
        if (operation.type->kind != Kind::signal && operation.type->kind != Kind::wait) return text;
        text += operation.type->kind == Kind::signal ? " to" : " for";
        for (const ChannelEnd& end : operation.channels) text += fmt::format(" {}", plan_.peer_of(end));
        return text;
    }

    /// Orders everything of the block so far before this event.
    void close(BlockState& block, EventId event) {
        order(block.gate, event);
        if (block.last_sync != no_event) order(block.last_sync, event);
        for (const EventId each : block.data) order(each, event);
        block.last_sync = no_event;
        block.data.clear();
        for (OpenTransfer& transfer : block.open) transfer.is_met = true;
    }

    void add_meeting(BlockState& block, const Operation& operation, std::uint32_t step) {
        const EventId event = add({block.rank, block.block, step, what(operation)});
        close(block, event);
        block.gate = event;
        if (!operation.is_barrier) return;
        const std::uint64_t turn = turns_[{block.rank, operation.barrier, block.block}]++;
        Meeting& meeting = meetings_[{block.rank, operation.barrier, turn}];
        if (meeting.end == no_event)
            meeting.end = add({block.rank, RankEvent::no_block, 0, fmt::format("barrier {}", operation.barrier)});
        meeting.arrivals.push_back(event);
        meeting.blocks.push_back(operation.barrier_blocks);
        order(event, meeting.end, Before::awaited);
        block.gate = meeting.end;
    }

    EventId add_sync_event(BlockState& block, const Operation& operation, std::uint32_t step) {
        const EventId event = add({block.rank, block.block, step, what(operation)});
        order(block.gate, event);
        if (block.last_sync != no_event) order(block.last_sync, event);
        block.last_sync = event;
        return event;
    }

    void add_sync(BlockState& block, const Operation& operation, std::uint32_t step) {
        const EventId event = add_sync_event(block, operation, step);
        if (operation.type->kind == Kind::signal) signal(block, operation, event, no_event);
        if (operation.type->kind == Kind::flush) flush(block, operation, event);
        if (operation.type->kind == Kind::wait)
            for (const ChannelEnd& end : operation.channels)
                waits_[end].push_back({event, operation.type->relaxed, block.block});
    }

    /// `with` is the transfer of the operation, if any. By a port channel the operation only hands over the signal,
    /// which follows earlier transfers and signals of the channel; for the block these are complete only after a flush.
    void signal(BlockState& block, const Operation& operation, EventId event, EventId with) {
        for (const ChannelEnd& end : operation.channels) {
            EventId arrival = event;
            if (end.is_port) {
                arrival =
                    add({block.rank, block.block, built_.program.graph.at(event).step, what(operation) + by_port});
                order(event, arrival);
                if (with != no_event) order(with, arrival);
                for (const OpenTransfer& transfer : block.open)
                    if (transfer.is_met && transfer.channel == end) order(transfer.event, arrival);
                const auto [last, is_first] = last_arrival_.try_emplace({end, block.block}, arrival);
                if (!is_first) order(std::exchange(last->second, arrival), arrival);
            }
            signals_[end].push_back({arrival, operation.type->relaxed, block.block});
        }
    }

    /// Without channels: flushes all of them.
    void flush(BlockState& block, const Operation& operation, EventId event) {
        std::erase_if(block.open, [&](const OpenTransfer& transfer) {
            const bool ends = operation.channels.empty() ||
                              std::ranges::find(operation.channels, transfer.channel) != operation.channels.end();
            if (ends) order(transfer.event, event);
            return ends;
        });
    }

    /// By a port channel the operation only starts the transfer; a later signal or flush of the channel waits for it.
    void add_data(BlockState& block, const Operation& operation, std::uint32_t step) {
        EventId event = add({block.rank, block.block, step, what(operation)});
        order(block.gate, event);
        block.data.push_back(event);
        const EventId started = event;
        if (operation.is_port && operation.type->writes_remote) {
            const EventId transfer = add({block.rank, block.block, step, what(operation) + by_port});
            order(event, transfer);
            event = transfer;
            for (const ChannelEnd& end : operation.channels) block.open.push_back({event, end});
        }
        add_moves(event, operation);
        if (!operation.type->signals) return;
        const EventId sync = add_sync_event(block, operation, step);
        order(started, sync);
        signal(block, operation, sync, event);
        if (operation.type->flushes) flush(block, operation, sync);
    }

    void add_moves(EventId event, const Operation& operation) {
        messages_of_event_.clear();
        round_ = operation.round;
        if (operation.type->kind == Kind::copy) {
            for (std::size_t i = 0; i < operation.sources.size(); ++i)
                add_move(event, operation, {operation.sources[i]}, {operation.targets[i]});
        } else {
            add_move(event, operation, operation.sources, operation.targets);
        }
    }

    void add_move(EventId event, const Operation& operation, const std::vector<ChunkRef>& sources,
                  const std::vector<ChunkRef>& targets) {
        const OperationType& type = *operation.type;
        const bool reduces = type.kind == Kind::reduce;
        const NodeId rank = built_.program.graph.at(event).rank;
        Move move;
        move.count = targets.front().size;
        for (std::uint32_t i = 0; i < sources.size(); ++i) {
            const ChunkRef& source = sources[i];
            const bool packets = type.reads_packets && (!reduces || i > 0);
            move.sources.push_back(touch(event, source, packets, false));
            if (source.rank != rank) move.receipts.push_back({message(event, source.rank, rank, false), i, reduces});
        }
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const ChunkRef& target = targets[i];
            const bool packets = type.writes_packets && (!reduces || i > 0);
            move.targets.push_back(touch(event, target, packets, true));
            if (target.rank != rank)
                move.receipts.push_back({message(event, rank, target.rank, true), Receipt::result, false});
        }
        built_.program.moves[event].push_back(std::move(move));
    }

    /// Returns the slot of the first chunk, and records what the access requires.
    Slot touch(EventId event, const ChunkRef& chunk, bool packets, bool writes) {
        const Slot slot = layout_.slot(chunk.buffer, chunk.rank, chunk.index);
        if (packets)
            for (std::uint64_t i = 0; i < chunk.size; ++i)
                (writes ? packet_writers_ : packet_readers_)[slot + i].push_back(event);
        const NodeId rank = built_.program.graph.at(event).rank;
        if (chunk.rank != rank && (!packets || chunk.buffer != 's')) remote_accesses_.push_back({event, chunk, writes});
        return slot;
    }

    std::uint32_t message(EventId event, NodeId from, NodeId to, bool brings_result) {
        const auto [found, is_new] = messages_of_event_.try_emplace({from, to, brings_result}, 0);
        if (is_new) {
            found->second = static_cast<std::uint32_t>(built_.program.messages.size());
            built_.program.messages.push_back({from, to, event, brings_result});
            built_.rounds.push_back(round_);
        }
        return found->second;
    }

    void add_end(NodeId rank, std::vector<BlockState>& blocks) {
        const EventId end = add({rank, RankEvent::no_block, 0, "end"});
        for (BlockState& block : blocks) close(block, end);
        ends_.push_back(end);
    }

    /// If several blocks use one end of a channel, the k-th signal follows the order in which they run, as far as other
    /// signals fix it.
    void sort_by_order(const std::vector<EventId>& order, std::vector<Signal>& signals) const {
        std::vector<std::uint32_t> place(built_.program.graph.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
        std::ranges::stable_sort(signals, {}, [&](const Signal& signal) { return place[signal.event]; });
    }

    static bool of_several_blocks(const std::vector<Signal>& signals) {
        return std::ranges::any_of(signals, [&](const Signal& each) { return each.block != signals.front().block; });
    }

    /// Requires that the k-th signal is not a matter of chance.
    void demand_order(const std::vector<Signal>& signals, std::string_view does) {
        for (std::size_t i = 1; i < signals.size(); ++i)
            if (signals[i - 1].block != signals[i].block)
                built_.program.demands.push_back(
                    {{signals[i - 1].event, signals[i].event, true},
                     fmt::format("{} and {} {} on one channel, and nothing orders them; a barrier between them would",
                                 name_of(signals[i - 1].event), name_of(signals[i].event), does)});
    }

    void match_signals() {
        std::vector<ChannelEnd> shared;
        for (const auto& [end, signals] : signals_)
            if (const auto waits = waits_.find(plan_.other_end(end));
                of_several_blocks(signals) || (waits != waits_.end() && of_several_blocks(waits->second)))
                shared.push_back(end);
            else
                match(end);
        const std::optional<std::vector<EventId>> order =
            shared.empty() ? std::nullopt : built_.program.graph.topological();
        for (const ChannelEnd& end : shared) {
            std::vector<Signal>& signals = signals_[end];
            std::vector<Signal>& waits = waits_[plan_.other_end(end)];
            if (order) sort_by_order(*order, signals);
            if (order) sort_by_order(*order, waits);
            match(end);
            demand_order(signals, "signal");
            demand_order(waits, "wait");
        }
        find_unmatched();
    }

    /// Matches the k-th wait with the k-th signal of the other end.
    void match(const ChannelEnd& end) {
        const std::vector<Signal>& signals = signals_[end];
        const auto found = waits_.find(plan_.other_end(end));
        if (found == waits_.end()) return;
        const std::vector<Signal>& waits = found->second;
        for (std::size_t i = 0; i < std::min(waits.size(), signals.size()); ++i)
            order(signals[i].event, waits[i].event,
                  signals[i].relaxed || waits[i].relaxed ? Before::relaxed : Before::awaited);
    }

    void find_unmatched() {
        for (const auto& [end, waits] : waits_) {
            const auto found = signals_.find(plan_.other_end(end));
            const std::size_t there = found == signals_.end() ? 0 : found->second.size();
            if (waits.size() > there)
                faults_.add(ScheduleFault::unmatched,
                            fmt::format("{} waits for ever: GPU {} signals {} on this channel, and this is wait {}",
                                        name_of(waits[there].event), plan_.peer_of(end), times(there), there + 1));
        }
        for (const auto& [end, signals] : signals_) {
            const auto found = waits_.find(plan_.other_end(end));
            const std::size_t there = found == waits_.end() ? 0 : found->second.size();
            if (signals.size() > there)
                faults_.add(ScheduleFault::unmatched,
                            fmt::format("{} has no partner: GPU {} waits {} on this channel, and this is signal {}",
                                        name_of(signals[there].event), plan_.peer_of(end), times(there), there + 1));
        }
    }

    static std::string times(std::size_t n) { return n == 0 ? "never" : counted(n, "time"); }
    [[nodiscard]] std::string name_of(EventId event) const { return built_.program.graph.name_of(event); }

    /// A reader waits for its packets. If several events write a packet, it is uncertain which one it sees.
    void match_packets() {
        for (const auto& [slot, readers] : packet_readers_) {
            const auto writers = packet_writers_.find(slot);
            for (const EventId reader : readers) {
                if (writers == packet_writers_.end())
                    faults_.add(ScheduleFault::unmatched,
                                fmt::format("{} waits for ever: no operation writes packets to {}", name_of(reader),
                                            slots::slot_name(slot)));
                else if (writers->second.size() == 1)
                    order(writers->second.front(), reader, Before::awaited);
            }
        }
    }

    void check_meetings() {
        for (const auto& [key, meeting] : meetings_) {
            const std::uint64_t blocks = meeting.blocks.front();
            const auto other = std::ranges::find_if(meeting.blocks, [&](std::uint64_t each) { return each != blocks; });
            const std::string waits = fmt::format("{} waits for {} at meeting {}", name_of(meeting.arrivals.front()),
                                                  counted(blocks, "block"), std::get<2>(key));
            if (other != meeting.blocks.end())
                faults_.add(
                    ScheduleFault::count,
                    fmt::format("{}, and {} for {}; want the same num_threadblocks", waits,
                                name_of(meeting.arrivals[static_cast<std::size_t>(other - meeting.blocks.begin())]),
                                *other));
            else if (meeting.arrivals.size() != blocks)
                faults_.add(ScheduleFault::unmatched, fmt::format("{}, and {} come", waits, meeting.arrivals.size()));
        }
    }

    /// Memory of another GPU may be accessed after that GPU has begun, input and output only before it ends.
    void demand_presence() {
        for (const auto& [event, chunk, writes] : remote_accesses_) {
            const std::string access = fmt::format("{} {} GPU {} {}[{}]", name_of(event), writes ? "writes" : "reads",
                                                   chunk.rank, chunk.buffer, chunk.index);
            built_.program.demands.push_back(
                {{begins_[chunk.rank], event, true},
                 fmt::format("{}, and GPU {} may not have begun; a wait for a signal of it, then a nop, before would "
                             "order them",
                             access, chunk.rank)});
            if (chunk.buffer != 's')
                built_.program.demands.push_back(
                    {{event, ends_[chunk.rank], !writes},
                     fmt::format("GPU {} may return before {}; a nop and a signal after it, for which GPU {} waits, "
                                 "would order them",
                                 chunk.rank, access, chunk.rank)});
        }
    }

    struct RemoteAccess {
        EventId event = no_event;
        ChunkRef chunk;
        bool writes = false;
    };

    const Plan& plan_;
    const slots::Layout& layout_;
    BuiltProgram built_;
    FaultList faults_;
    std::vector<EventId> begins_;  ///< by rank
    std::vector<EventId> ends_;
    std::map<ChannelEnd, std::vector<Signal>> signals_;  ///< in the order of blocks, until they are matched
    std::map<ChannelEnd, std::vector<Signal>> waits_;
    std::map<std::tuple<NodeId, std::uint64_t, std::uint64_t>, std::uint64_t> turns_;  ///< by rank, barrier and block
    std::map<std::tuple<NodeId, std::uint64_t, std::uint64_t>, Meeting> meetings_;     ///< by rank, barrier and turn
    std::map<Slot, std::vector<EventId>> packet_writers_;
    std::map<Slot, std::vector<EventId>> packet_readers_;
    std::map<std::pair<ChannelEnd, std::uint32_t>, EventId> last_arrival_;  ///< by port channel and block
    std::vector<RemoteAccess> remote_accesses_;
    std::map<std::tuple<NodeId, NodeId, bool>, std::uint32_t> messages_of_event_;
    Round round_ = 0;  ///< round of the messages being added
};

}  // namespace

BuiltProgram build_program(const Plan& plan, const slots::Layout& layout) { return Builder(plan, layout).build(); }

std::string missing_synchronization(const BuiltProgram& built, EventId first, EventId second) {
    const RankEvent& before = built.program.graph.at(first);
    const RankEvent& after = built.program.graph.at(second);
    if (before.rank != after.rank)
        return fmt::format("a nop and a signal after the first, for which GPU {} waits before the second, then a nop,",
                           after.rank);
    const std::string flush = before.what.ends_with(by_port) ? "a flush and " : "";
    return flush + (before.block == after.block ? "a nop between them" : "a barrier between them");
}

}  // namespace kport::mscclpp
