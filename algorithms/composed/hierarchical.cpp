/// @file hierarchical.cpp   Operations in phases: in groups of nodes, and among their leaders.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/phases.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

namespace {

/// Returns the collective whose phases are composed: a reduce and a reduce-scatter are others reversed in time.
Collective in_phases(const Collective& collective) {
    if (collective.operation == Operation::reduce) return moved_forward(collective, Operation::broadcast);
    if (collective.operation == Operation::reduce_scatter) return moved_forward(collective, Operation::allgather);
    return collective;
}

/// Broadcast, allreduce, allgather and barrier over groups whose nodes are all nodes.
///
/// Machine   any graph on which the two algorithms run: A in each group, B among the leaders
/// Gives     what the operation promises
/// Costs     the sums of the phases: a phase begins when the one before has ended in all groups
/// Idea      A group's leader acts for it: it collects by A, exchanges with the other leaders by B, and distributes by A.
/// Source    Karonis et al. 2000; docs/model.md, groups
class Hierarchy {
  public:
    /// `collective`: in_phases(). All outlive it.
    Hierarchy(const Machine& machine, const Collective& collective, const AlgorithmOptions& options)
        : machine_(machine), collective_(collective), options_(options), nodes_(machine.topology->nodes()) {
        for (const std::vector<NodeId>& group : options.groups) {
            const bool has_root = collective.rooted() && std::ranges::find(group, collective.root) != group.end();
            leaders_.push_back(has_root ? collective.root : group.front());
        }
    }

    /// Returns why a phase cannot run, as a clause; nothing if all can.
    [[nodiscard]] std::optional<std::string> misfit() const {
        const auto in_groups = [&](const Operation& operation) -> std::optional<std::string> {
            for (std::size_t g = 0; g < leaders_.size(); ++g)
                if (auto why = misfit_of_group(machine_, in_group(g, operation))) return why;
            return std::nullopt;
        };
        if (auto why = in_groups(Operation::broadcast)) return why;
        const Operation& operation = collective_.operation;
        if (operation == Operation::broadcast) return misfit_of_group(machine_, among_leaders(operation));
        if (auto why = in_groups(operation == Operation::allgather ? Operation::gather : Operation::reduce)) return why;
        return misfit_of_group(machine_, among_leaders(operation));
    }

    [[nodiscard]] Schedule plan() const {
        const Operation& operation = collective_.operation;
        Schedule all;
        if (operation == Operation::broadcast) {
            const auto same = [](std::span<const PacketBlock> packets) { return set_of(packets); };
            append(all, schedule_of_group(machine_, among_leaders(operation), same));
            append(all, in_all_groups(Operation::broadcast, [&](std::size_t) { return PacketsOutside(same); }));
            return all;
        }
        const bool bundles = operation == Operation::allgather;
        append(all, in_all_groups(bundles ? Operation::gather : Operation::reduce, [&](std::size_t g) {
                   return PacketsOutside([this, g](std::span<const PacketBlock> packets) {
                       return of_members(options_.groups[g], packets);
                   });
               }));
        append(all, schedule_of_group(machine_, among_leaders(operation), [&](std::span<const PacketBlock> packets) {
                   return bundles ? of_gathered(packets) : of_groups(packets);
               }));
        Schedule last = in_all_groups(Operation::broadcast, [&](std::size_t) {
            return PacketsOutside([&](std::span<const PacketBlock> packets) { return of_results(packets); });
        });
        append(all, bundles ? what_receivers_lack(all, last) : last);
        return all;
    }

    /// Returns what is done in order.
    [[nodiscard]] std::vector<ComposedPhase> phases() const {
        const Operation& operation = collective_.operation;
        if (operation == Operation::broadcast) return {of_leaders(operation), of_groups(operation)};
        const bool bundles = operation == Operation::allgather;
        ComposedPhase last = of_groups(Operation::broadcast);
        last.carries_rest = bundles;
        return {of_groups(bundles ? Operation::gather : Operation::reduce), of_leaders(operation), std::move(last)};
    }

  private:
    [[nodiscard]] ComposedPhase of_groups(const Operation& operation) const {
        return {.operation = operation,
                .algorithm = options_.intra,
                .groups = options_.groups,
                .root = collective_.root,
                .packets_each = packets_each()};
    }
    [[nodiscard]] ComposedPhase of_leaders(const Operation& operation) const {
        const GroupTask task = among_leaders(operation);
        return {.operation = operation,
                .algorithm = options_.inter,
                .members = leaders_,
                .root = task.root,
                .packets_each = task.packets_each,
                .counts = task.counts};
    }
    static PacketSet set_of(std::span<const PacketBlock> packets) {
        PacketSet set;
        set.add(packets);
        return set;
    }
    [[nodiscard]] GroupTask in_group(std::size_t g, const Operation& operation) const {
        return {options_.groups[g], operation, options_.intra,          leaders_[g],
                packets_each(),     nullptr,   collective_.packet_bytes};
    }
    [[nodiscard]] GroupTask among_leaders(const Operation& operation) const {
        GroupTask task{leaders_,       operation, options_.inter,          collective_.root,
                       packets_each(), nullptr,   collective_.packet_bytes};
        if (operation != Operation::allgather) return task;
        std::vector<std::uint32_t> counts;
        for (const std::vector<NodeId>& group : options_.groups)
            counts.push_back(static_cast<std::uint32_t>(group.size() * packets_each()));
        const bool differ = std::ranges::adjacent_find(counts, std::not_equal_to<>()) != counts.end();
        task.packets_each = counts.front();
        if (differ) task.counts = std::make_shared<const Counts>(counts, counts.size(), CountedFor::nodes);
        return task;
    }
    [[nodiscard]] std::uint64_t packets_each() const { return collective_.packets_each; }

    template <class PacketsOf>
    [[nodiscard]] Schedule in_all_groups(const Operation& operation, const PacketsOf& packets_of_group) const {
        std::vector<Schedule> schedules;
        for (std::size_t g = 0; g < leaders_.size(); ++g)
            schedules.push_back(schedule_of_group(machine_, in_group(g, operation), packets_of_group(g)));
        return at_once(machine_, schedules);
    }

    /// Packets, contributions or signals of a group's members by rank.
    [[nodiscard]] static PacketSet of_members(const std::vector<NodeId>& group, std::span<const PacketBlock> packets) {
        PacketSet set;
        for (const PacketBlock& block : packets)
            for (std::uint32_t i = 0; i < block.count; ++i)
                set.add(block_of(block.all_rows(), {static_cast<std::uint32_t>(group[block.columns()[i]])}));
        return set;
    }
    /// Contributions, signals and results of leaders, each of which has those of its group.
    [[nodiscard]] PacketSet of_groups(std::span<const PacketBlock> packets) const {
        PacketSet set;
        for (const PacketBlock& block : packets)
            for (std::uint32_t i = 0; i < block.count; ++i) {
                const std::uint32_t leader = block.columns()[i];
                if (leader == leaders_.size()) {
                    set.add(result_packets(nodes_, block.all_rows()));
                    continue;
                }
                for (const NodeId v : options_.groups[leader])
                    set.add(block_of(block.all_rows(), {static_cast<std::uint32_t>(v)}));
            }
        return set;
    }
    /// Packets that leaders have gathered: row i of a leader is packet i mod M of member i / M.
    [[nodiscard]] PacketSet of_gathered(std::span<const PacketBlock> packets) const {
        PacketSet set;
        for (const PacketBlock& block : packets)
            for (std::uint32_t c = 0; c < block.count; ++c)
                for (std::uint32_t r = 0; r < block.rows; ++r) {
                    const std::uint64_t row = block.all_rows()[r];
                    const NodeId v = options_.groups[block.columns()[c]][row / packets_each()];
                    set.add(PacketBlock{static_cast<std::uint32_t>(v), 1, 1,
                                        static_cast<std::uint32_t>(row % packets_each())});
                }
        return set;
    }
    /// What a broadcast of the result carries: results of segments; signals of all nodes.
    [[nodiscard]] PacketSet of_results(std::span<const PacketBlock> packets) const {
        PacketSet set;
        if (!collective_.folds()) return PacketSet::range(0, nodes_);
        for (const PacketBlock& block : packets) set.add(result_packets(nodes_, block.columns()));
        return set;
    }
    /// The messages of a broadcast behind a schedule, each with all that its sender has then and its receiver has not.
    [[nodiscard]] Schedule what_receivers_lack(const Schedule& before, const Schedule& broadcast) const {
        std::vector<PacketSet> held(nodes_);
        for (NodeId v = 0; v < nodes_; ++v) held[v] = collective_.owned(v, nodes_);
        for (std::size_t i = 0; i < before.size(); ++i) held[before.transfer(i).to].include(before.transfer(i).packets);
        Schedule all;
        for (std::size_t i = 0; i < broadcast.size(); ++i) {
            const Transfer transfer = broadcast.transfer(i);
            PacketSet lacking = held[transfer.from];
            const PacketBlocks known = in_both(held[transfer.to].blocks(), lacking);
            lacking.remove(span_of(known));
            if (lacking.empty()) continue;
            held[transfer.to].include(lacking.blocks());
            all.add(broadcast.round(i), {transfer.from, transfer.to, transfer.route, lacking.blocks()});
        }
        return all;
    }

    const Machine& machine_;
    const Collective& collective_;
    const AlgorithmOptions& options_;
    NodeId nodes_;
    std::vector<NodeId> leaders_;
};

std::shared_ptr<const Schedule> hierarchical_plan(const Machine& machine, const Collective& collective,
                                                  const AlgorithmOptions& options) {
    static KeptPlans kept;
    std::string besides = fmt::format("{} {}", options.intra, options.inter);
    for (const std::vector<NodeId>& group : options.groups) besides += fmt::format(" {}", list_of_nodes(group));
    return kept.of(
        machine, collective, [&] { return Hierarchy(machine, collective, options).plan(); }, besides);
}

std::optional<std::string> misfit_composed_hierarchical(const Machine& machine, const Collective& collective,
                                                        const AlgorithmOptions& options) {
    constexpr std::string_view its_options = "groups intra inter";
    if (options.groups.empty() || options.intra.empty() || options.inter.empty())
        return "needs --groups GROUPS, --intra A and --inter B";
    const Collective forward = in_phases(collective);
    if (forward.operation == Operation::allgather)
        if (auto why = needs_combining(machine)) return why;
    std::vector<bool> seen(machine.topology->nodes(), false);
    for (const std::vector<NodeId>& group : options.groups)
        for (const NodeId v : group) {
            if (v >= seen.size()) return "needs groups of nodes of the machine";
            seen[v] = true;
        }
    if (const auto missing = std::ranges::find(seen, false); missing != seen.end())
        return fmt::format("needs groups that have all nodes, and node {} is in none",
                           machine.topology->name(static_cast<NodeId>(missing - seen.begin())));
    return first_of(
        {needs_table(machine), takes_no_options(options, its_options), Hierarchy(machine, forward, options).misfit()});
}

Start make_composed_hierarchical(const Machine& machine, const Collective& collective,
                                 const AlgorithmOptions& options) {
    const Collective forward = in_phases(collective);
    return following(hierarchical_plan(machine, forward, options), machine, forward, Routes::of_schedule);
}

ExpectedCost expect_composed_hierarchical(const Machine& machine, const Collective& collective,
                                          const AlgorithmOptions& options) {
    const Collective forward = in_phases(collective);
    return counted_cost(*hierarchical_plan(machine, forward, options), machine, forward);
}

/// The operation that moves the same packets in reverse.
Operation reverse_of(const Operation& operation) {
    if (operation == Operation::broadcast) return Operation::reduce;
    if (operation == Operation::gather) return Operation::scatter;
    return operation == Operation::allgather ? Operation::reduce_scatter : operation;
}

std::vector<ComposedPhase> phases_composed_hierarchical(const Machine& machine, const Collective& collective,
                                                        const AlgorithmOptions& options) {
    const Collective forward = in_phases(collective);
    std::vector<ComposedPhase> phases = Hierarchy(machine, forward, options).phases();
    if (forward.operation == collective.operation) return phases;
    std::ranges::reverse(phases);
    for (ComposedPhase& phase : phases) {
        phase.operation = reverse_of(phase.operation);
        if (phase.counts != nullptr)
            phase.counts = std::make_shared<const Counts>(phase.counts->counted_for(phase.operation->counted_for));
    }
    return phases;
}

Algorithm hierarchical(const Operation& operation, std::string rule) {
    return {
        .operation = operation,
        .name = "hierarchical",
        .rule = std::move(rule),
        .needs = "any graph on which --intra A runs in each of --groups, and --inter B among their leaders",
        .cost = "the sums of the phases, each of which waits for the one before in all groups",
        .source = "Karonis et al. 2000",
        .misfit = misfit_composed_hierarchical,
        .make = make_composed_hierarchical,
        .expect = expect_composed_hierarchical,
        .takes = "groups intra inter",
        .by_default = false,
        .with_many = operation.signals() ? WithMany::together : WithMany::own,
        .merges = true,
        .phases = phases_composed_hierarchical,
    };
}

}  // namespace

std::vector<Algorithm> algorithms_in_composed_hierarchical() {
    std::vector<Algorithm> rows =
        with_reversal(hierarchical(Operation::broadcast, "by B among the leaders of groups, then by A in each group"),
                      Operation::reduce);
    const auto add = [&](std::vector<Algorithm> some) {
        for (Algorithm& row : some) rows.push_back(std::move(row));
    };
    add({hierarchical(Operation::allreduce,
                      "reduce by A to the leaders of groups, allreduce by B among them, "
                      "broadcast by A")});
    add(with_reversal(hierarchical(Operation::allgather,
                                   "gather by A to the leaders of groups, allgather by B among them, and by A all that "
                                   "the receiver lacks"),
                      Operation::reduce_scatter));
    add({hierarchical(Operation::barrier, "as allreduce, with signals")});
    return rows;
}

}  // namespace kport
