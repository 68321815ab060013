#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/experiment.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

namespace {

/// As --source takes it: its number, or its name where that number is the name of another node.
std::string node_in_words(const Topology& topology, NodeId v) {
    std::string number = std::to_string(v);
    return topology.node(number) == v ? number : as_shell_word(topology.label(v));
}

/// The options of the machine and of the costs that are not their defaults.
std::string machine_options(const Machine& machine) {
    const Machine plain;
    std::string text;
    const auto add = [&](bool differs, std::string_view option, const auto& value) {
        if (differs) text += fmt::format(" {} {}", option, value);
    };
    add(machine.duplex != plain.duplex, "--duplex", kport::text(machine.duplex));
    add(machine.links != plain.links, "--links", kport::text(machine.links));
    if (machine.pairwise) text += " --pairwise";
    add(machine.noho != plain.noho, "--noho", kport::text(machine.noho));
    add(machine.switching != plain.switching, "--switching", kport::text(machine.switching));
    add(machine.combining != plain.combining, "--combining", machine.combining ? "on" : "off");
    add(machine.policy != plain.policy, "--policy", kport::text(machine.policy));
    add(machine.costs.startup != plain.costs.startup, "--ts", machine.costs.startup);
    add(machine.costs.hop != plain.costs.hop, "--td", machine.costs.hop);
    add(machine.costs.byte != plain.costs.byte, "--tm", machine.costs.byte);
    return text;
}

}  // namespace

std::string again(const Experiment& e, std::string_view algorithm) {
    if (e.collective.is_own() || (e.collective.folds() && e.options.reduction.op.is_own())) return "";
    std::string text = fmt::format("kport run {} --on {}{} --ports {} --algorithm {}", name(e.collective.operation),
                                   as_shell_word(e.topology().spec()), e.graph_words, e.machine.ports.text(),
                                   as_shell_word(algorithm));
    text += machine_options(e.machine);
    if (e.collective.root != 0) text += fmt::format(" --source {}", node_in_words(e.topology(), e.collective.root));
    if (!e.collective.signals() && e.collective.packet_bytes != Collective{}.packet_bytes)
        text += fmt::format(" --bytes {}", e.collective.packet_bytes);
    if (e.collective.packets_each != 1) text += fmt::format(" --packets {}", e.collective.packets_each);
    if (e.collective.permutation != Permutation{})
        text += fmt::format(" --permutation {}", kport::text(e.collective.permutation));
    if (!e.collective.rules.all_law()) text += fmt::format(" --rules {}", kport::text(e.collective.rules));
    if (!e.payload) text += " --payload none";
    if (e.options.keep) text += fmt::format(" --keep {}", *e.options.keep == Keep::smaller ? "smaller" : "greater");
    if (!e.options.dimensions.empty()) text += fmt::format(" --dimensions {}", fmt::join(e.options.dimensions, ","));
    if (e.options.preorder) text += " --order preorder";
    if (e.options.arity) text += fmt::format(" --arity {}", *e.options.arity);
    if (e.options.gather) text += fmt::format(" --gather {}", *e.options.gather == GatherBy::ring ? "ring" : "bruck");
    if (e.options.aggregate) text += fmt::format(" --aggregate {}", *e.options.aggregate);
    const Reduction& reduction = e.options.reduction;
    if (reduction.op != Operator::sum) text += fmt::format(" --op {}", name(reduction.op));
    if (reduction.type == ElementType::real && e.payload) text += fmt::format(" --type {}", name(reduction.type));
    if (!reduction.values.empty() && e.payload)
        text += fmt::format(" --values {}", as_shell_word(fmt::format("{}", fmt::join(reduction.values, ","))));
    if (e.engine != EngineKind::lockstep) text += fmt::format(" --engine {}", name(e.engine));
    if (e.partition_nodes != partition_nodes_default) text += fmt::format(" --partition-nodes {}", e.partition_nodes);
    if (e.threads) text += fmt::format(" --threads {}", *e.threads);
    if (e.seed != Experiment{}.seed) text += fmt::format(" --seed {}", e.seed);
    if (e.per_round) text += " --per-round";
    if (e.injection) text += fmt::format(" --inject {}", kport::text(*e.injection));
    if (e.order) text += fmt::format(" --order {}", *e.order);
    if (e.max_rounds != 0) text += fmt::format(" --max-rounds {}", e.max_rounds);
    if (e.until != 0) text += fmt::format(" --until {}", e.until);
    return text;
}

}  // namespace kport
