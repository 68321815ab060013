#include "app/files/ranked.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/files/lines.hpp"
#include "app/files/transfer_words.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

/// Makes what a comment written by kport names; refuses the file if that fails.
template <class Make>
auto named_by(const std::string& words, const Refuse& refuse, const Make& make) {
    try {
        return make();
    } catch (const RequestError& error) {
        refuse(fmt::format("says {}: {}", quoted(words), error.what()));
        throw;
    }
}

}  // namespace

ToldSchedule told_of_ranks(NodeId ranks, const std::vector<std::string>& words, const ScheduleContext& context,
                           const Refuse& refuse) {
    ToldSchedule told;
    told.topology = context.machine.topology;
    const Operation* operation = context.operation ? &*context.operation : nullptr;
    std::string root_words;
    Permutation permutation;
    std::optional<std::uint64_t> packets_each = context.packets_each;
    ToldCounts counts;
    const auto says = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
    for (const std::string& line : words) {
        const auto space = line.find(' ');
        const std::string first = line.substr(0, space);
        if (first == "on" && told.topology == nullptr)
            told.topology = named_by(line, refuse, [&] {
                const std::string spec = line.substr(space + 1);
                LineCursor cursor(spec, line, 0);
                return make_topology(spec.starts_with('"') ? quoted_name(cursor) : spec);
            });
        if (first == "packets" && space != std::string::npos && !context.packets_each)
            packets_each =
                named_by(line, refuse, [&] { return parse_count(line.substr(space + 1), first, 1, own_packets_max); });
        if ((first == "counts" || first == "sizes") && space != std::string::npos)
            counts = {line.substr(space + 1), first == "sizes"};
        if (first == name(Operation::none) && operation == nullptr) operation = &Operation::none;
        for (const Operation& one : operations())
            if (one->name == first) {
                if (operation == nullptr) operation = &one;
                if (one == Operation::permutation && space != std::string::npos)
                    permutation = named_by(line, refuse, [&] { return permutation_named(line.substr(space + 1)); });
                if (root_words.empty() && one->rooted != Rooted::no && space != std::string::npos) root_words = line;
            }
    }
    if (told.topology == nullptr) {
        told.topology = make_topology(fmt::format("complete:{}", ranks));
        told.remarks.emplace_back("the topology, which the file does not name, is a complete graph");
    }
    if (told.topology->nodes() != ranks)
        refuse(fmt::format("has {}, and {} has {}; want as many", counted(ranks, "rank"), told.topology->spec(),
                           counted(told.topology->nodes(), told.topology->fabric() == nullptr ? "node" : "host")));
    if (operation == nullptr) told.judgement.not_judged.push_back({"delivery", no_operation_named});
    told.collective =
        operation == nullptr || !operation->promises() ? Collective::none() : collective_asked(context, *operation);
    told.collective.unfolded = says("unfolded") && told.collective.folds();
    told.collective.in_runs = (says("in-runs") || told.collective.unfolded) && told.collective.folds();
    if (told.collective.promises()) told.collective.packets_each = packets_each.value_or(1);
    if (!counts.text.empty() || context.counts != nullptr)
        named_by(fmt::format("{} {}", counts.are_sizes ? "sizes" : "counts", counts.text), refuse, [&] {
            put_counts(told.collective, context, counts, ranks);
            return true;
        });
    told.collective.permutation = permutation;
    told.collective = named_by(std::string(name(told.collective.operation)), refuse,
                               [&] { return fitted(told.collective, *told.topology); });
    named_by(fmt::format("packets {}", told.collective.packets_each), refuse, [&] {
        require_valid(told.collective, *told.topology);
        return true;
    });
    if (!told.collective.rooted()) return told;
    if (context.root)
        told.collective.root = told.topology->node(*context.root);
    else if (!root_words.empty())
        told.collective.root = named_by(root_words, refuse, [&] {
            const std::size_t from = root_words.find(' ', root_words.find(' ') + 1);  // "broadcast from 0"
            return node_said(*told.topology,
                             std::string_view(root_words).substr(std::min(from, root_words.rfind(' ')) + 1));
        });
    return told;
}

std::vector<Port> route_between(const Topology& topology, NodeId from, NodeId to) {
    std::vector<Port> route;
    if (const Fabric* fabric = topology.fabric()) {
        fabric->append_route(from, to, /*any=*/topology.port_to(from, to) == no_port, route);
        return route;
    }
    for (NodeId at = from; at != to; at = topology.across(at, route.back()).node)
        route.push_back(topology.route(at, to));
    return route;
}

std::vector<Round> earliest_rounds_for(ToldSchedule& told, const std::vector<LooseMessage>& messages,
                                       const ScheduleContext& context, const Refuse& refuse) {
    Machine machine = context.machine;
    machine.topology = told.topology;
    try {
        EarliestRounds found = earliest_rounds(messages, machine);
        told.remarks.push_back(found.last == found.least
                                   ? fmt::format("rounds {}, the least ({}), on a {} machine", found.last,
                                                 found.binding, machine.describe())
                                   : fmt::format("rounds {}, at least {} ({}), on a {} machine", found.last,
                                                 found.least, found.binding, machine.describe()));
        return std::move(found.rounds);
    } catch (const RequestError& error) {
        refuse(fmt::format("cannot run: {}", error.what()));
    }
    return {};
}

bool stand_judged(ToldSchedule& told, const ScheduleContext& context) {
    if (!context.is_judged) return true;
    Machine machine = context.machine;
    machine.topology = told.topology;
    if (audit(told.schedule, machine, told.collective, false).violation_count == 0) return true;
    told.schedule = {};
    told.remarks.emplace_back("the rounds that stand in comments do not keep the rules, and are not these");
    return false;
}

std::vector<std::uint32_t> in_order_of(const std::vector<Round>& rounds, const std::vector<LooseMessage>& messages) {
    std::vector<std::uint32_t> order(messages.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return std::pair(rounds[i], messages[i].from); });
    return order;
}

}  // namespace kport
