#include "app/requests/experiment_of.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include "app/files/transfer_words.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/graphs.hpp"
#include "app/requests/several.hpp"
#include "app/session/options.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/family.hpp"

namespace kport::requests {

namespace {

/// The word in place of an operation where a file promises.
constexpr std::string_view by_promise = "promise";

bool asks_by_promise(const Words& words) {
    const bool asks = words.subject && same_but_for_signs(*words.subject, by_promise);
    if (asks && !has_word("bounds run show compare explain search", words.command))
        throw RequestError(
            fmt::format("kport {} takes no promise of a file; want kport run promise --promise FILE, or for a "
                        "schedule kport check SCHEDULE --promise FILE",
                        words.command));
    if (asks && !words.has("--promise"))
        throw RequestError(
            "--promise is missing: in which file does it stand who owns and wants what? such as --promise mine.txt");
    for (const char* other : {"--source", "--sources", "--packets", "--counts", "--sizes", "--members", "--relay",
                              "--groups", "--permutation"})
        if (asks && words.has(other))
            throw RequestError(fmt::format("--promise and {} exclude each other: the promise says it; leave one out",
                                           words.typed(other)));
    if (asks && words.has("--broken") && !words.has("--on"))
        throw RequestError(fmt::format("{}: of which machine? want --on with it", words.typed("--broken")));
    if (!asks && words.has("--promise"))
        throw RequestError(fmt::format("--promise {}: the operation promises something itself; want kport {} promise",
                                       quoted(*words.get("--promise")), words.command));
    return asks;
}

Operation operation_of(const Words& words) {
    if (!words.subject)
        throw RequestError(
            fmt::format("which operation? kport {} OPERATION --on TOPOLOGY, such as broadcast "
                        "('kport list operations' shows all)",
                        words.command));
    if (begins_as_topology(*words.subject))
        throw RequestError(fmt::format("{} is a topology; want kport {} OPERATION --on {}", quoted(*words.subject),
                                       words.command, as_shell_word(*words.subject)));
    if (asks_for_sequence(words))
        throw RequestError(
            fmt::format("kport {} takes no sequence of operations; want kport run sequence FILE", words.command));
    const Operation operation = operation_named(*words.subject);
    for (const auto& [other, wants] : operation->others) {
        const std::string option = fmt::format("--{}", wants.substr(0, wants.find(' ')));
        if (!wants.empty() && same_but_for_signs(*words.subject, other) && !words.has(option))
            throw RequestError(fmt::format("{} is missing: {} needs it, such as --{}", option, other, wants));
    }
    return operation;
}

/// Commands that take several values have taken them apart before.
void refuse_several(std::string_view option, std::string_view given) {
    constexpr std::string_view numbers = "--bytes --packets --ts --td --tm";
    const bool range = (option == "--bytes" || option == "--packets") && given.find("..") != std::string_view::npos;
    const bool is_listed = std::ranges::find(listed_options, option.substr(2)) != listed_options.end();
    if ((range || given.find(',') != std::string_view::npos) && (is_listed || has_word(numbers, option)))
        throw RequestError(
            fmt::format("{} {}: one machine has one value; 'kport compare' takes several", option, quoted(given)));
}

/// The options of the experiment that the words give and `is_meant` picks, in the order of the table.
void read_options(const Words& words, Experiment& e, const std::function<bool(const Option&)>& is_meant) {
    for (const Option& option : all_options()) {
        const std::optional<std::string> given = words.get(std::string(option.name));
        if (!given || option.member.read == nullptr || !is_meant(option)) continue;
        refuse_several(option.name, *given);
        option.member.read(e, {option.name, *given});
    }
}

/// The ports, rules and prices of a machine, and which attributes of its graph file are prices.
bool is_of_machine(const Option& option) {
    return option.group == OptionGroup::machine || option.group == OptionGroup::prices ||
           option.group == OptionGroup::graph;
}

/// Options for which the operation has no use.
void refuse_for_operation(const Words& words, const Operation& operation) {
    const auto refuse = [&](const char* option, std::string_view why) {
        if (const auto given = words.get(option))
            throw RequestError(fmt::format("{0} {1}: {2}; leave {3} out", words.typed(option), quoted(*given),
                                           fmt::format(fmt::runtime(why), name(operation)), words.typed(option)));
    };
    // Some algorithms go through a root where the operation has none; they say so.
    const auto takes_root = [&](const Algorithm& row) {
        return row.operation == operation && row.through_root && words.command != "bounds";
    };
    if (!operation.rooted() && std::ranges::none_of(catalogue(), takes_root)) refuse("--source", "{} has no source");
    if (operation.signals()) {
        refuse("--rules", "NODUP and NOHO are void in a {}");
        refuse("--noho", "NOHO is void in a {}");
        refuse("--bytes", "there are no bytes in the signals of a {}");
    }
    if (operation != Operation::permutation) refuse("--permutation", "{} has none");
    if (!operation.folds())
        for (const char* option : {"--op", "--type", "--values"}) refuse(option, "{} folds nothing");
}

/// Values that the command has no use for.
void refuse_for_command(const Words& words, const Topology& topology) {
    if (const auto source = words.get("--source"); source && names_several(*source, topology))
        throw RequestError(fmt::format("{} {}: a run has one source; 'kport compare' takes several",
                                       words.typed("--source"), quoted(*source)));
    const bool runs_nothing = has_word("bounds explain", words.command) || words.has("--message");
    if (const auto order = words.get("--order"); order && *order != "preorder" && runs_nothing)
        throw RequestError(
            fmt::format("--order {}: no nodes run, so they have no order; want --order preorder, "
                        "which a scan takes, or leave --order out",
                        quoted(*order)));
}

}  // namespace

std::shared_ptr<const Topology> topology_of(const Words& words) {
    const std::optional<std::string> spec = words.get("--on");
    if (!spec)
        throw RequestError(
            fmt::format("--on is missing: on which machine? such as --on hypercube:10 "
                        "('kport list topologies' shows all)"));
    if (spec->find_first_of("{}") != std::string::npos)
        throw RequestError(
            fmt::format("--on {0} wants one machine, without braces; kport compare {1} --sweep {0} takes many",
                        quoted(*spec), words.subject.value_or("OPERATION")));
    std::shared_ptr<const Topology> graph = make_topology(*spec);
    return words.has("--unaware") ? graph : without_broken(words, graph);
}

namespace {

std::string where_broken(const Words& words) { return fmt::format("--broken {}", quoted(*words.get("--broken"))); }

/// What --unaware says of the experiment. Throws RequestError.
void read_unaware(const Words& words, Experiment& e) {
    if (!words.has("--unaware")) return;
    if (!words.has("--broken"))
        throw RequestError("--unaware: nothing is broken; want --broken PARTS with it, or leave --unaware out");
    e.unaware_of = broken_of(words, e.topology());
}

constexpr std::string_view counts_by_ports = "ports:";

/// A number for each port label: the packets of a node for its neighbour there.
Counts counts_of_ports(std::string_view of, std::string_view text, const Topology& topology) {
    constexpr NodeId nodes_max = 1 << 14;
    const NodeId nodes = topology.nodes();
    const std::string option = fmt::format("{} {}", of, quoted(text));
    if (nodes > nodes_max)
        throw RequestError(fmt::format("{}: {} has {}; want at most {}, whose pairs are counted", option,
                                       topology.spec(), counted(nodes, "node"), nodes_max));
    const std::vector<std::string_view> entries = split(text.substr(counts_by_ports.size()), ',');
    if (entries.size() != topology.ports())
        throw RequestError(fmt::format("{}: {}; the nodes of {} have port labels 0 to {}, and each takes one", option,
                                       counted(entries.size(), "number"), topology.spec(), topology.ports() - 1));
    std::vector<std::uint32_t> of_port;
    for (const std::string_view entry : entries)
        of_port.push_back(static_cast<std::uint32_t>(
            parse_count(entry, fmt::format("{}: port {}", option, of_port.size()), 0, own_packets_max)));
    std::vector<std::uint32_t> numbers(nodes * nodes);
    for (NodeId u = 0; u < nodes; ++u)
        for_each_neighbour(topology, u, [&](NodeId v, Port port) { numbers[u * nodes + v] = of_port[port]; });
    return {std::move(numbers), nodes, CountedFor::pairs};
}

/// Numbers of packets, or sizes, that differ.
void read_counts_of(const Words& words, Experiment& e, std::string_view option, const std::string& text,
                    std::initializer_list<std::string_view> others) {
    if (!words.has(std::string(option))) return;
    for (const std::string_view other : others)
        if (words.has(std::string(other)))
            throw RequestError(fmt::format("{} and {} exclude each other; leave one out", option, other));
    const std::uint64_t element = e.options.reduction.type->bytes;
    if (e.collective.operation == Operation::neighbor_alltoall && text.starts_with(counts_by_ports))
        put_numbers(e.collective, counts_of_ports(option, text, e.topology()), option == "--sizes");
    else
        try {
            know_counts(e.collective, option, text, counted_nodes(e), e.seed);
        } catch (const RequestError& error) {
            if (e.members.empty()) throw;
            const NodeId members = counted_nodes(e);
            throw RequestError(boost::replace_first_copy(std::string(error.what()),
                                                         fmt::format(" on {} takes", counted(members, "node")),
                                                         fmt::format(" among {} takes", counted(members, "member"))));
        }
    const Counts* const bytes = e.collective.counts->bytes();
    if (bytes == nullptr || !e.collective.folds()) return;
    for (const std::uint32_t size : bytes->numbers())
        if (element != 0 && size % element != 0)
            throw RequestError(fmt::format("{} {}: {} bytes are no whole number of {} elements; want multiples of {}",
                                           option, quoted(text), size, name(e.options.reduction.type), element));
    e.collective.packet_bytes = std::max(e.collective.packet_bytes, element);
}

/// A broadcast from several nodes.
void read_sources(const Words& words, Experiment& e) {
    const auto sources = words.get("--sources");
    if (!sources) return;
    if (e.collective.operation != Operation::broadcast)
        throw RequestError(fmt::format("--sources {}: only a broadcast has several; leave it out of {}",
                                       quoted(*sources), name(e.collective.operation)));
    for (const std::string_view other : {"--source", "--counts", "--sizes"})
        if (words.has(std::string(other)))
            throw RequestError(fmt::format("--sources and {} exclude each other; leave one out", other));
    e.collective =
        broadcast_from(std::move(e.collective), nodes_named(*sources, e.topology(), "--sources"), e.topology().nodes());
}

/// Segments of a promise that are of some bytes each hold whole elements.
void require_whole_elements(const Experiment& e) {
    const std::uint64_t element = e.options.reduction.type->bytes;
    if (e.collective.own_folds() == nullptr || element == 0) return;
    for (const std::uint32_t size : e.collective.own()->bytes)
        if (size % element != 0)
            throw RequestError(fmt::format(
                "--promise {}: a segment of {} bytes holds no whole number of {} elements; want multiples of {}",
                quoted(e.collective.own()->file), size, name(e.options.reduction.type), element));
}

/// Values of those alone that contribute to folds of a promise, in the order of the nodes, as values of all; the others use none.
void place_values(Experiment& e) {
    std::vector<std::string>& values = e.options.reduction.values;
    if (e.collective.own_folds() == nullptr || values.empty()) return;
    const NodeId nodes = e.topology().nodes();
    std::vector<NodeId> givers;
    for (NodeId v = 0; v < nodes; ++v)
        if (!e.collective.owned(v, nodes).empty()) givers.push_back(v);
    if (values.size() != givers.size() || givers.size() == nodes) return;
    std::vector<std::string> placed(nodes, values.front());
    for (std::size_t r = 0; r < givers.size(); ++r) placed[givers[r]] = values[r];
    values = std::move(placed);
}

}  // namespace

void require_default_source(const Words& words, const Experiment& e) {
    const bool is_broken = lacks_node_0(e.topology()) || e.unaware_of.has(0);
    const bool begins_at_node_0 = !words.has("--source") && e.members.empty();
    if (e.collective.rooted() && is_broken && begins_at_node_0)
        throw RequestError(fmt::format(
            "--source is missing: node {}, the default, is broken; want another, such as {}",
            whole_of(e.topology()).name(0),
            e.topology().nodes() > 1 ? e.topology().name(e.unaware_of.has(0) ? 1 : 0) : std::string("none")));
}

BrokenParts broken_of(const Words& words, const Topology& graph) {
    const auto text = words.get("--broken");
    return text ? broken_parts(graph, *text, where_broken(words)) : BrokenParts();
}

std::shared_ptr<const Topology> without_broken(const Words& words, const std::shared_ptr<const Topology>& graph) {
    return words.has("--broken") ? without(graph, broken_of(words, *graph), where_broken(words)) : graph;
}

Experiment experiment_of(const Words& words, std::shared_ptr<const Topology> topology, GraphFiles files) {
    Experiment e;
    const bool by_file = asks_by_promise(words);
    if (!by_file) e.collective.operation = operation_of(words);
    if (topology == nullptr && (!by_file || words.has("--on"))) topology = topology_of(words);
    if (by_file) {
        const auto bytes = words.get("--bytes");
        ToldPromise told = promise_named(*words.get("--promise"), std::move(topology),
                                         bytes ? parse_size(*bytes, "--bytes") : Collective().packet_bytes);
        topology = std::move(told.topology);
        e.collective = std::move(told.collective);
    }
    if (e.collective.signals()) e.collective.packet_bytes = 0;
    e.machine.topology = std::move(topology);
    e.graph_words = as_typed(words, OptionGroup::graph);
    refuse_for_operation(words, e.collective.operation);
    refuse_for_command(words, e.topology());
    read_options(words, e, [](const Option&) { return true; });
    if (e.collective.folds() && !words.has("--bytes"))  // an element at least
        e.collective.packet_bytes = std::max(e.collective.packet_bytes, e.options.reduction.type->bytes);
    place_values(e);
    require_whole_elements(e);
    know_link_prices(e.machine);  // which the machine needs to be judged by its ports
    know_node_ports(e.machine);
    know_members(words, e);
    know_groups(words, e);
    know_permutation(e.collective.permutation, e.topology().nodes());
    read_sources(words, e);
    read_counts_of(words, e, "--counts", e.counts, {"--packets"});
    read_counts_of(words, e, "--sizes", e.sizes, {"--counts", "--packets", "--bytes"});
    know_relays(words, e);
    read_unaware(words, e);
    if (files == GraphFiles::as_families) know_family(words, e);
    e.collective = fitted(std::move(e.collective), e.topology());
    if (words.command != "search") require_default_source(words, e);  // which may have several
    if (!e.algorithms.empty() && words.command != "compare")
        throw RequestError(fmt::format("--algorithm {}: one algorithm at a time; 'kport compare' takes several",
                                       quoted(*words.get("--algorithm"))));
    require_valid(e);
    return e;
}

Machine machine_of(const Words& words, const Machine& otherwise) {
    Experiment e;
    e.machine = otherwise;
    read_options(words, e, is_of_machine);
    know_link_prices(e.machine);  // which the machine needs to be judged by its ports
    know_node_ports(e.machine);
    return e.machine;
}

namespace {

constexpr std::string_view all_held = "all-held";

/// What the schedule is to do stands in a file.
void know_promise(ScheduleContext& context, const std::string& path, const Words& words) {
    if (words.command == "convert")
        throw RequestError(
            fmt::format("--promise {}: no form of a schedule says what a file promises; want all-held, or kport check",
                        quoted(path)));
    for (const char* other : {"--packets", "--counts", "--sizes", "--members", "--source"})
        if (words.has(other))
            throw RequestError(fmt::format("--promise and {} exclude each other: the promise says it; leave one out",
                                           words.typed(other)));
    if (context.operation)
        throw RequestError(fmt::format("--promise {}: the schedule is to do what the file promises; leave {} out",
                                       quoted(path), name(*context.operation)));
    ToldPromise told = promise_named(path, context.machine.topology, context.packet_bytes);
    context.machine.topology = std::move(told.topology);
    context.operation = told.collective.operation;
    context.promise = std::move(told.collective);
    context.packets_each = 1;  // whatever the schedule says
    context.remarks = std::move(told.remarks);
}

}  // namespace

ScheduleContext schedule_context_of(const Words& words) {
    ScheduleContext context;
    const std::optional<std::string> operation = words.command == "convert" ? words.get("--operation") : words.of;
    if (operation) context.operation = operation_or_none_named(*operation);
    Machine machine;
    if (words.has("--on"))
        machine.topology = topology_of(words);
    else if (words.has("--broken"))
        throw RequestError(fmt::format(
            "{}: of which machine? want --on with it; a recorded schedule says what is broken", where_broken(words)));
    context.machine = machine_of(words, machine);
    context.root = words.get("--source");
    if (const auto size = words.get("--bytes")) context.packet_bytes = parse_size(*size, "--bytes");
    for (const std::string option : {"--counts", "--sizes"}) {
        const auto counts = words.get(option);
        if (!counts) continue;
        for (const char* other : {"--packets", "--counts"})
            if (words.has(other) && option != other)
                throw RequestError(fmt::format("{} and {} exclude each other; leave one out", option, other));
        context.counts = [option, text = *counts](Collective& collective, NodeId nodes) {
            know_counts(collective, option, text, nodes, Experiment().seed);
        };
    }
    if (const auto members = words.get("--members"))
        context.members = [text = *members](Collective& collective, const Topology& topology) {
            collective.members = std::make_shared<const RankedNodes>(nodes_named(text, topology, "--members"));
        };
    if (const auto m = words.get("--packets")) context.packets_each = parse_count(*m, "--packets", 1, own_packets_max);
    if (const auto promise = words.get("--promise")) {
        context.all_held = *promise == all_held;
        if (!context.all_held) know_promise(context, *promise, words);
    }
    if (const auto rules = words.get("--rules")) context.rules = rules_named(*rules);
    return context;
}

}  // namespace kport::requests
