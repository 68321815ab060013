#include "app/files/slot_program.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <boost/icl/interval_set.hpp>

#include "app/files/fault_list.hpp"
#include "app/files/ranked.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport::slots {

namespace {

struct PastRead {
    EventId event = no_event;
    bool found_nothing = false;
};

/// The contents of a slot, and the accesses with which its next access must be ordered.
struct SlotState {
    Value value;
    EventId written_by = no_event;
    std::vector<PastRead> read_by = {};  ///< since then
};

/// Two accesses of a slot, at least one of which writes.
struct Conflict {
    WantedOrder order;
    Slot slot = 0;
    bool first_writes = false;
    bool second_writes = false;
    bool first_found_nothing = false;
};

/// What a rank has received: contributions by chunk * ranks + rank, and complete results by chunk.
struct Received {
    boost::icl::interval_set<std::uint64_t> contributions;
    boost::icl::interval_set<std::uint64_t> results;
};

boost::icl::interval_set<std::uint64_t>::interval_type between(std::uint64_t first, std::uint64_t last) {
    return boost::icl::interval_set<std::uint64_t>::interval_type::closed(first, last);
}

class SlotJudge {
  public:
    SlotJudge(const SlotProgram& program, const Layout& layout, const Remedies& remedies)
        : program_(program), layout_(layout), remedies_(remedies) {
        judgement_.carried.resize(program.messages.size());
    }

    SlotJudgement run(const std::vector<EventId>& order) {
        for (const EventId event : order) execute(event);
        if (layout_.promises()) judge_delivery();
        FaultList races = find_races(order);
        judgement_.has_race = !races.empty();
        judgement_.findings = judgement_.has_race ? races.take() : faults_.take();
        return std::move(judgement_);
    }

  private:
    [[nodiscard]] const EventGraph& graph() const { return program_.graph; }

    SlotState& state(Slot slot) {
        const auto [found, is_new] = slots_.try_emplace(slot);
        if (is_new)
            if (const auto run = layout_.initial(slot)) found->second.value = value_of(*run);
        return found->second;
    }

    void execute(EventId event) {
        const std::size_t conflicts_before = conflicts_.size();
        for (const Move& move : program_.moves[event])
            for (std::uint64_t i = 0; i < move.count; ++i) execute(event, move, i);
        // Adjacent chunks conflict in the same way.
        const auto begin = conflicts_.begin() + static_cast<std::ptrdiff_t>(conflicts_before);
        const auto key = [](const Conflict& c) { return std::pair(c.order.first, c.order.relaxed_is_enough); };
        std::stable_sort(begin, conflicts_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
        conflicts_.erase(
            std::unique(begin, conflicts_.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
            conflicts_.end());
    }

    void execute(EventId event, const Move& move, std::uint64_t chunk) {
        values_.clear();
        for (const Slot source : move.sources) values_.push_back(read(event, source + chunk));
        Value result = values_.front();
        for (std::size_t i = 1; i < values_.size(); ++i) result = fold(event, result, values_[i]);
        for (const Receipt& receipt : move.receipts)
            receive(event, receipt, receipt.value == Receipt::result ? result : values_[receipt.value]);
        for (const Slot target : move.targets) write(event, target + chunk, result);
    }

    Value read(EventId event, Slot slot) {
        SlotState& it = state(slot);
        if (buffer_of(slot) != 'm') {
            if (it.written_by != no_event) conflict({{it.written_by, event}, slot, true, false});
            if (it.read_by.empty() || it.read_by.back().event != event)
                it.read_by.push_back({event, it.value == nullptr});
        }
        if (it.value != nullptr || !layout_.promises()) return it.value;
        faults_.add(ScheduleFault::unwritten,
                    fmt::format("{} reads {}, where nothing stands; want a step before it that writes there",
                                graph().name_of(event), slot_name(slot)));
        return unknown_value();
    }

    void write(EventId event, Slot slot, const Value& value) {
        SlotState& it = state(slot);
        if (buffer_of(slot) != 'm') {
            if (it.written_by != no_event) conflict({{it.written_by, event}, slot, true, true});
            for (const PastRead& past : it.read_by)
                conflict({{past.event, event, true}, slot, false, true, past.found_nothing});
        }
        it.value = value;
        it.written_by = event;
        it.read_by.clear();
    }

    void conflict(const Conflict& conflict) {
        const RankEvent& first = graph().at(conflict.order.first);
        const RankEvent& second = graph().at(conflict.order.second);
        const bool same_block = first.rank == second.rank && first.block == second.block;
        if (conflict.order.first != conflict.order.second && !(same_block && program_.blocks_are_ordered))
            conflicts_.push_back(conflict);
    }

    Value fold(EventId event, const Value& a, const Value& b) {
        if (!layout_.promises()) return nullptr;
        Value sum = sum_of(a, b);
        if (!sum->known) return sum;
        if (!layout_.collective().folds())
            faults_.add(ScheduleFault::fold, fmt::format("{} reduces; {} folds nothing", graph().name_of(event),
                                                         name(layout_.collective().operation)));
        else if (is_sound(a) && is_sound(b) && !is_sound(sum))
            faults_.add(ScheduleFault::fold,
                        fmt::format("{} folds {} with {}; want contributions to one chunk, each once",
                                    graph().name_of(event), in_words(a), in_words(b)));
        return sum;
    }

    /// Whether it is contributions to one chunk, each once.
    static bool is_sound(const Value& value) {
        return value->known && !value->runs.empty() &&
               std::ranges::all_of(value->runs, [&](const ContributionRun& run) {
                   return !run.repeated && run.chunk == value->runs.front().chunk;
               });
    }

    void receive(EventId event, const Receipt& receipt, const Value& value) {
        judgement_.carried[receipt.message].push_back(value);
        if (value == nullptr || !value->known || !layout_.promises()) return;
        const NodeId to = program_.messages[receipt.message].to;
        Received& received = received_[to];
        for (const ContributionRun& run : value->runs) {
            if (!receipt.is_folded && is_result(value)) {
                note(event, to, received.results, run, between(run.chunk, run.chunk));
                continue;
            }
            if (run.first <= to && to <= run.last)
                faults_.add(ScheduleFault::noho,
                            fmt::format("{} brings GPU {} {}, of which chunk {} of rank {} is its own",
                                        graph().name_of(event), to, in_words(run), run.chunk, to));
            const std::uint64_t base = run.chunk * layout_.ranks();
            note(event, to, received.contributions, run, between(base + run.first, base + run.last));
        }
    }

    /// Whether it is complete, and so a packet of its own.
    [[nodiscard]] bool is_result(const Value& value) const {
        const Collective& collective = layout_.collective();
        return collective.folds() && !collective.inwards() &&
               is_exactly(value, {value->runs.front().chunk, 0, layout_.ranks() - 1});
    }

    void note(EventId event, NodeId to, boost::icl::interval_set<std::uint64_t>& received, const ContributionRun& run,
              const boost::icl::interval_set<std::uint64_t>::interval_type& interval) {
        if (boost::icl::intersects(received, interval))
            faults_.add(ScheduleFault::nodup, fmt::format("{} brings GPU {} {}, of which it has received some before",
                                                          graph().name_of(event), to, in_words(run)));
        received.add(interval);
    }

    void judge_delivery() {
        for (NodeId rank = 0; rank < layout_.ranks(); ++rank) {
            if (!layout_.wanted(rank, 0)) continue;
            for (std::uint64_t chunk = 0; chunk < layout_.outputs(); ++chunk) {
                if (faults_.is_full(ScheduleFault::delivery)) return;
                judge_output(rank, chunk);
            }
        }
    }

    void judge_output(NodeId rank, std::uint64_t chunk) {
        const ContributionRun wanted = *layout_.wanted(rank, chunk);
        const Slot slot = layout_.slot('o', rank, chunk);
        const auto found = slots_.find(slot);
        if (found == slots_.end()) {
            if (layout_.initial(slot) == wanted) return;
        } else if (is_exactly(found->second.value, wanted)) {
            return;
        }
        const SlotState& it = state(slot);
        std::string by = "which no step writes";
        std::vector<Repair> repairs;
        if (it.written_by != no_event)
            by = fmt::format("written last by {}{}", graph().name_of(it.written_by), sender_of(it.written_by, slot));
        else if (const auto copy = remedies_.copy ? copy_to(slot, rank, chunk) : std::nullopt)
            repairs.push_back(remedies_.copy(*copy));
        faults_.add(ScheduleFault::delivery,
                    fmt::format("GPU {} o[{}] holds {}, {}; must hold {}{}", rank, chunk, in_words(it.value), by,
                                in_words(wanted),
                                repairs.empty() ? "" : fmt::format("; a {} would bring it", repairs.front().what)),
                    repairs);
    }

    /// Returns ", sent from GPU 1 o[2] by block 0 step 2 (s to 2)": the origin of what an event wrote, if a message
    /// brought it.
    [[nodiscard]] std::string sender_of(EventId event, Slot slot) const {
        for (const Move& move : program_.moves[event])
            for (const Slot target : move.targets) {
                if (slot < target || slot >= target + move.count) continue;
                for (const Slot source : move.sources)
                    if (buffer_of(source) == 'm') return sending_of(source + (slot - target));
            }
        return "";
    }
    [[nodiscard]] std::string sending_of(Slot message) const {
        const EventId event = writer_of(message);
        if (event == no_event) return "";
        const RankEvent& it = graph().at(event);
        for (const Move& move : program_.moves[event])
            for (const Slot target : move.targets)
                if (message >= target && message < target + move.count)
                    return fmt::format(", sent from {} by block {} step {} ({})",
                                       slot_name(move.sources.front() + (message - target)), it.block, it.step,
                                       it.what);
        return "";
    }

    [[nodiscard]] EventId writer_of(Slot slot) const {
        const auto found = slots_.find(slot);
        return found == slots_.end() ? no_event : found->second.written_by;
    }
    [[nodiscard]] bool holds(Slot slot, const ContributionRun& run) const {
        const auto found = slots_.find(slot);
        return found == slots_.end() ? layout_.initial(slot) == run : is_exactly(found->second.value, run);
    }

    /// Returns where the rank holds at the end what its output must hold: in its input, or in the first of the other
    /// slots.
    [[nodiscard]] std::optional<Slot> holder_of(const ContributionRun& wanted, NodeId rank) const {
        const Slot input = layout_.slot('i', rank, wanted.chunk);
        if (holds(input, wanted)) return input;
        std::optional<Slot> first;
        for (const auto& [slot, state] : slots_)
            if (buffer_of(slot) != 'm' && rank_of(slot) == rank && (!first || slot < *first) &&
                is_exactly(state.value, wanted))
                first = slot;
        return first;
    }

    /// Returns the copy, with as many following chunks as can be copied with it.
    [[nodiscard]] std::optional<WantedCopy> copy_to(Slot slot, NodeId rank, std::uint64_t chunk) const {
        const auto from = holder_of(*layout_.wanted(rank, chunk), rank);
        if (!from) return std::nullopt;
        WantedCopy copy{*from, slot, 1, writer_of(*from)};
        const auto goes_on = [&](std::uint64_t i) {
            const auto wanted = layout_.wanted(rank, chunk + i);
            return wanted && layout_.slot('o', rank, chunk + i) == slot + i && writer_of(slot + i) == no_event &&
                   !holds(slot + i, *wanted) && holds(*from + i, *wanted) && writer_of(*from + i) == copy.written_by;
        };
        while (chunk + copy.count < layout_.outputs() && goes_on(copy.count)) ++copy.count;
        return copy;
    }

    FaultList find_races(const std::vector<EventId>& order) const {
        std::vector<WantedOrder> pairs;
        for (const Conflict& conflict : conflicts_) pairs.push_back(conflict.order);
        for (const DemandedOrder& demand : program_.demands) pairs.push_back(demand.order);
        FaultList races;
        for (const std::size_t i : not_ordered(graph(), order, pairs))
            if (i < conflicts_.size())
                add_race(conflicts_[i], races);
            else
                races.add(ScheduleFault::race, program_.demands[i - conflicts_.size()].otherwise);
        return races;
    }

    void add_race(const Conflict& conflict, FaultList& races) const {
        const auto access = [&](EventId event, bool writes) {
            const RankEvent& it = graph().at(event);
            const std::string rank = it.rank == rank_of(conflict.slot) ? "" : fmt::format("GPU {} ", it.rank);
            return fmt::format("{}block {} step {} ({}) {}", rank, it.block, it.step, it.what,
                               writes ? "writes" : "reads");
        };
        EventId first = conflict.order.first;
        EventId second = conflict.order.second;
        bool first_writes = conflict.first_writes;
        bool second_writes = conflict.second_writes;
        // A read of an empty slot is probably meant to come after the write.
        if (conflict.first_found_nothing && layout_.promises()) {
            std::swap(first, second);
            std::swap(first_writes, second_writes);
        }
        if (races.is_full(ScheduleFault::race)) return races.add(ScheduleFault::race, "");
        Repair repair = remedies_.order(first, second);
        const std::string text =
            fmt::format("{}: {}, {}, nothing orders them; {} would", slot_name(conflict.slot),
                        access(first, first_writes), access(second, second_writes), repair.in_words());
        races.add(ScheduleFault::race, text, {std::move(repair), remedies_.order(second, first)});
    }

    const SlotProgram& program_;
    const Layout& layout_;
    const Remedies& remedies_;
    SlotJudgement judgement_;
    FaultList faults_;
    std::unordered_map<Slot, SlotState> slots_;
    std::unordered_map<NodeId, Received> received_;
    std::vector<Conflict> conflicts_;
    std::vector<Value> values_;
};

}  // namespace

SlotJudgement judge(const SlotProgram& program, const Layout& layout, const std::vector<EventId>& order,
                    const Remedies& remedies) {
    return SlotJudge(program, layout, remedies).run(order);
}

std::vector<LooseMessage> messages_of(const SlotProgram& program, const std::vector<EventId>& order,
                                      const Topology& topology) {
    std::vector<LooseMessage> messages;
    std::vector<std::vector<std::uint32_t>> sent_by(program.graph.size());
    for (std::uint32_t i = 0; i < program.messages.size(); ++i) {
        const SlotMessage& message = program.messages[i];
        messages.push_back({message.from, message.to, route_between(topology, message.from, message.to)});
        sent_by[message.sent_by].push_back(i);
    }
    std::vector<std::vector<std::uint32_t>> latest(program.graph.size());  // messages before the end of an event
    for (const EventId event : order) {
        std::vector<std::uint32_t> before;
        for (const EventGraph::Edge& edge : program.graph.before(event))
            before.insert(before.end(), latest[edge.before].begin(), latest[edge.before].end());
        std::ranges::sort(before);
        before.erase(std::unique(before.begin(), before.end()), before.end());
        // Removes messages that others in the list wait for.
        std::vector<std::uint32_t> implied;
        if (before.size() > 1)
            for (const std::uint32_t one : before)
                implied.insert(implied.end(), messages[one].after.begin(), messages[one].after.end());
        std::ranges::sort(implied);
        std::vector<std::uint32_t> direct;
        std::ranges::set_difference(before, implied, std::back_inserter(direct));
        for (const std::uint32_t own : sent_by[event]) {
            messages[own].after = direct;
            if (!program.messages[own].brings_result) continue;
            for (const std::uint32_t other : sent_by[event])
                if (!program.messages[other].brings_result) messages[own].after.push_back(other);
        }
        latest[event] = sent_by[event].empty() ? std::move(direct) : sent_by[event];
    }
    return messages;
}

namespace {

/// Returns the packet of chunk `chunk` of rank's input, if nothing is combined.
PacketBlock packet_of(const Layout& layout, NodeId rank, std::uint64_t chunk) {
    const Operation& operation = layout.collective().operation;
    const std::uint64_t each = layout.collective().packets_each;
    const auto at = [](std::uint64_t row, std::uint64_t column) {
        return PacketBlock{static_cast<std::uint32_t>(column), 1, 1, static_cast<std::uint32_t>(row)};
    };
    if (operation == Operation::broadcast) return at(0, chunk);
    if (operation == Operation::scatter) return at(chunk % each, chunk / each);
    if (operation == Operation::alltoall) return at(rank * each + chunk % each, chunk / each);
    return at(chunk, rank);
}

}  // namespace

PacketSet packets_in(const std::vector<Value>& values, const Layout& layout) {
    const Collective& collective = layout.collective();
    const NodeId ranks = layout.ranks();
    const auto is_result = [&](const Value& value) {
        return !collective.inwards() && value != nullptr && value->known && value->runs.size() == 1 &&
               is_exactly(value, {value->runs.front().chunk, 0, ranks - 1});
    };
    const bool results = collective.folds() && std::ranges::all_of(values, is_result);
    PacketSet packets;
    for (const Value& value : values) {
        if (value == nullptr || !value->known) continue;
        for (const ContributionRun& run : value->runs) {
            const auto row = static_cast<std::uint32_t>(run.chunk);
            if (results)
                packets.include(PacketSet(result_packets(ranks, {row})));
            else if (collective.folds())
                packets.include(PacketSet(PacketBlock{static_cast<std::uint32_t>(run.first), 1,
                                                      static_cast<std::uint32_t>(run.last - run.first + 1), row}));
            else
                packets.include(PacketSet(packet_of(layout, run.first, run.chunk)));
        }
    }
    return packets.empty() ? PacketSet(PacketBlock{}) : packets;
}

}  // namespace kport::slots
