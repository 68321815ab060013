#include "algorithms/adapted.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/support/phases.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/machine/smaller_machine.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/participants.hpp"

namespace kport {

namespace {

/// A group as a machine, and what it does there.
struct GroupOnItsOwn {
    Machine machine;
    Collective collective;
    AlgorithmOptions options;

    GroupOnItsOwn(const Machine& whole, const Collective& all, const AlgorithmOptions& with, std::size_t g)
        : machine(member_machine(whole, (*all.groups)[g].nodes())), collective(of_group(all, g)), options(with) {
        std::vector<std::string>& values = options.reduction.values;
        if (values.empty()) return;
        NodeId before = 0;  // contributions stand in the order of groups
        for (std::size_t i = 0; i < g; ++i) before += (*all.groups)[i].count();
        const auto first = std::min<std::size_t>(before, values.size());
        const auto last = std::min<std::size_t>(before + (*all.groups)[g].count(), values.size());
        values = {values.begin() + static_cast<std::ptrdiff_t>(first),
                  values.begin() + static_cast<std::ptrdiff_t>(last)};
    }
};

/// The transfers of all groups in the rounds of the whole machine. A message is known by its size: contents of as many bytes; of a
/// signal one, which costs nothing.
class GroupsTogether {
  public:
    GroupsTogether(const Machine& machine, std::size_t groups) : machine_(machine), schedules_(groups) {}

    void put(std::size_t g, const Schedule& inside, const GroupOnItsOwn& group, const Collective& judged) {
        const std::uint64_t segments = judged.folds() ? judged.segments(group.machine.topology->nodes()) : 1;
        const auto of_size = [&](std::span<const PacketBlock> packets) {
            const std::uint64_t count = judged.folds() ? values_in(packets, judged, segments) : size_of(packets);
            const std::uint64_t size = std::max<std::uint64_t>(1, count * judged.packet_bytes);
            if (size > contents_bytes_max)
                throw DoesNotFit(fmt::format("a message of groups has {} bytes; the most that are counted are {}", size,
                                             contents_bytes_max));
            PacketSet contents;
            contents.add(contents_packets(size));
            return contents;
        };
        schedules_[g] = schedule_outside(inside, *group.machine.topology, *machine_.topology, of_size);
    }

    [[nodiscard]] Schedule schedule() const { return at_once(machine_, schedules_); }

  private:
    const Machine& machine_;
    std::vector<Schedule> schedules_;
};

/// Returns the algorithm by which a group runs: of one node, which moves nothing, one that fits.
const Algorithm& algorithm_of(const GroupOnItsOwn& group, const Algorithm& algorithm) {
    if (group.machine.topology->nodes() > 1) return algorithm;
    if (!misfit_of(algorithm, group.machine, group.collective, group.options)) return algorithm;
    const std::vector<const Algorithm*> fitting = applicable(group.machine, group.collective, group.options);
    if (fitting.empty()) throw RequestError("groups of one node: no algorithm runs there; leave them out");
    return *fitting.front();
}

/// Adds what came of a group's run. Nodes of violations get their numbers in the whole machine.
void add_to(RunResult& all, RunResult of_group, const Topology& group) {
    Verdict& verdict = all.verdict;
    const Verdict& one = of_group.verdict;
    const auto outside = [&](NodeId& v) {
        if (v != no_node && v < group.wires().nodes()) v = group.wires().number(v);
    };
    for (Violation violation : one.violations) {
        outside(violation.node);
        outside(violation.other);
        outside(violation.earlier_other);
        verdict.violations.push_back(violation);
    }
    verdict.violation_count += one.violation_count;
    for (std::size_t rule = 0; rule < verdict.violations_by_rule.size(); ++rule)
        verdict.violations_by_rule[rule] += one.violations_by_rule[rule];
    verdict.holders += one.holders;
    verdict.promised += one.promised;
    verdict.compared_packets += one.compared_packets;
    verdict.compared_bytes += one.compared_bytes;
    verdict.delivered = verdict.delivered && one.delivered;
    verdict.judged_by = one.judged_by;
    all.stopped = all.stopped || of_group.stopped;
    all.out_of_rounds = all.out_of_rounds || of_group.out_of_rounds;
    all.not_begun = all.not_begun || of_group.not_begun;
    all.threads = std::max(all.threads, of_group.threads);
    all.engine = of_group.engine;
    all.wall_seconds += of_group.wall_seconds;
    for (std::string& result : of_group.results) all.results.push_back(std::move(result));
}

}  // namespace

std::optional<std::string> misfit_in_groups(const Algorithm& algorithm, const Machine& machine,
                                            const Collective& collective, const AlgorithmOptions& options) {
    for (std::size_t g = 0; g < collective.groups->size(); ++g) {
        const GroupOnItsOwn group(machine, collective, options, g);
        if (group.machine.topology->nodes() < 2) continue;
        if (const auto why = misfit_of(algorithm, group.machine, group.collective, group.options))
            return fmt::format("{} (in the group {})", *why, list_of_nodes((*collective.groups)[g].nodes()));
    }
    return std::nullopt;
}

ExpectedCost expected_in_groups(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                                const AlgorithmOptions& options) {
    ExpectedCost all{0, 0, 0, 0, {}};
    bool are_equal = true;
    std::optional<ExpectedCost> first;
    for (std::size_t g = 0; g < collective.groups->size(); ++g) {
        const GroupOnItsOwn group(machine, collective, options, g);
        if (group.machine.topology->nodes() < 2) continue;
        ExpectedCost one = expected_cost(algorithm, group.machine, group.collective, group.options);
        const auto larger = [](const std::optional<std::uint64_t>& a, const std::optional<std::uint64_t>& b) {
            return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
        };
        all.rounds = larger(all.rounds, one.rounds);
        all.work = all.work && one.work ? std::optional(*all.work + *one.work) : std::nullopt;
        if (first)
            are_equal = are_equal && first->rounds == one.rounds && first->path_sum == one.path_sum &&
                        first->volume == one.volume && first->latency == one.latency &&
                        group.machine.topology->nodes() == (*collective.groups)[0].count();
        else
            first = one;
        if (all.derivation.empty()) all.derivation = std::move(one.derivation);
    }
    if (!first) return all;
    const bool may_compete = machine.switching == Switching::wormhole || machine.topology->fabric() != nullptr;
    const bool tells = are_equal && !may_compete;
    all.path_sum = tells ? first->path_sum : std::nullopt;
    all.volume = tells ? first->volume : std::nullopt;
    all.latency = tells ? first->latency : std::nullopt;
    if (may_compete) all.rounds.reset();
    all.derivation.push_back(fmt::format("in {} at once: the rounds of the longest, the work of all",
                                         counted(collective.groups->size(), "group")));
    return all;
}

RunResult run_in_groups(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                        const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options) {
    RunResult all;
    all.verdict.delivered = true;
    GroupsTogether together(machine, collective.groups->size());
    for (std::size_t g = 0; g < collective.groups->size(); ++g) {
        const GroupOnItsOwn group(machine, collective, options, g);
        Schedule moved;
        RunOptions recording = run_options;
        recording.recorded_schedule = &moved;
        recording.per_round = false;
        recording.phases = nullptr;
        const Collective judged = judged_collective(algorithm, group.collective, options);
        add_to(all,
               run_algorithm(algorithm_of(group, algorithm), group.machine, group.collective, group.options, payload,
                             recording),
               *group.machine.topology);
        together.put(g, moved, group, judged);
    }
    const Schedule moved = together.schedule();
    Machine priced = machine;
    const bool has_bytes = collective.packet_bytes != 0;
    if (!has_bytes) priced.costs.byte = 0;
    const Verdict of_machine = audit(moved, priced, Collective::none(), run_options.per_round);
    Verdict& verdict = all.verdict;
    verdict.metrics = of_machine.metrics;
    if (!has_bytes) verdict.metrics.volume = verdict.metrics.bytes = 0;
    verdict.metrics.informed_after = verdict.metrics.rounds;
    verdict.per_round = of_machine.per_round;
    verdict.violations.insert(verdict.violations.end(), of_machine.violations.begin(), of_machine.violations.end());
    verdict.violation_count += of_machine.violation_count;
    for (std::size_t rule = 0; rule < verdict.violations_by_rule.size(); ++rule)
        verdict.violations_by_rule[rule] += of_machine.violations_by_rule[rule];
    if (run_options.recorded_schedule != nullptr) *run_options.recorded_schedule = moved;
    return all;
}

}  // namespace kport
