#include "app/requests/experiment_of.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include "app/files/transfer_words.hpp"
#include "app/requests/performed.hpp"
#include "app/requests/several.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/machine/smaller_machine.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"
#include "emulator/topology/members.hpp"

namespace kport::requests {

namespace {

constexpr std::string_view by_members = "members";
constexpr std::string_view by_all = "all";

void refuse_beside(const Words& words, std::string_view option, std::initializer_list<std::string_view> others) {
    for (const std::string_view other : others)
        if (words.has(std::string(other)))
            throw RequestError(fmt::format("{} and {} exclude each other; leave one out", option, other));
}

/// The root that the words name, which must be a member; else the first.
NodeId root_of(const Words& words, const Experiment& e, const RankedNodes& members) {
    const auto source = words.get("--source");
    if (!source) return members.node(0);
    const NodeId root = e.collective.root;
    if (!members.has(root))
        throw RequestError(fmt::format("--source {}: node {} is no member; want one of {}", quoted(*source),
                                       e.topology().name(root), list_of_nodes(members.nodes())));
    return root;
}

/// The others that pass packets on, of the whole machine. Throws RequestError for members among them.
std::vector<NodeId> relays_named(const Experiment& e, const RankedNodes& members) {
    std::vector<NodeId> relays = nodes_named(e.relay, e.topology(), "--relay");
    for (const NodeId v : relays)
        if (members.has(v))
            throw RequestError(
                fmt::format("--relay {}: node {} is a member, and passes packets on anyway; leave it out",
                            quoted(e.relay), e.topology().name(v)));
    return relays;
}

/// Takes the rules of a larger machine to one of some of its nodes.
void move_to_members(const std::vector<NodeId>& members, const Words& words, Machine& machine) {
    for (const char* option : {"--slow", "--td-by", "--tm-by"})
        if (words.has(option))
            throw RequestError(
                fmt::format("{}: a machine of members has the same price on all links; want --relay "
                            "all, or leave {} out",
                            words.typed(option), words.typed(option)));
    try {
        machine = member_machine(machine, members);
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("{}; --relay all, or --switching wh", error.what()));
    }
}

std::shared_ptr<const RankedNodes> by_rank(const Experiment& e, const std::vector<NodeId>& members) {
    std::vector<NodeId> ranked;
    const Membership* membership = e.topology().membership();
    for (const NodeId v : members) ranked.push_back(membership == nullptr ? v : membership->nodes.rank(v));
    return std::make_shared<const RankedNodes>(std::move(ranked));
}

}  // namespace

void know_members(const Words& words, Experiment& e) {
    if (e.members.empty()) {
        if (words.has("--members")) (void)nodes_named("", e.topology(), "--members");  // refuses it
        if (!e.relay.empty())
            throw RequestError(
                fmt::format("--relay {}: of which members? want --members NODES with it, or leave "
                            "--relay out",
                            quoted(e.relay)));
        return;
    }
    refuse_beside(words, "--members", {"--groups", "--unaware"});
    if (e.topology().membership() != nullptr)
        throw RequestError(fmt::format("--members {}: {} has members already; want those of {}", quoted(e.members),
                                       *words.get("--on"), named_machine(e.topology()).spec()));
    const RankedNodes members(nodes_named(e.members, e.topology(), "--members"));
    const NodeId root = root_of(words, e, members);
    const NodeId nodes = e.topology().nodes();
    if (e.relay.empty() || e.relay == by_members || members.count() == 1) {  // one needs no relay
        move_to_members(members.nodes(), words, e.machine);
        e.collective.root = e.topology().membership()->nodes.rank(root);
        return;
    }
    std::vector<NodeId> all = members.nodes();
    if (e.relay != by_all) {
        const std::vector<NodeId> relays = relays_named(e, members);
        all.insert(all.end(), relays.begin(), relays.end());
        std::ranges::sort(all);
    }
    if (e.relay != by_all && all.size() < nodes) move_to_members(all, words, e.machine);
    const Membership* membership = e.topology().membership();
    e.collective.root = membership == nullptr ? root : membership->nodes.rank(root);
    e.collective.members = by_rank(e, members.nodes());
}

namespace {

/// Whether the operation has the same meaning for all numbers of its nodes, and nothing is known by them but its root.
bool means_same_under_all_numbers(const Experiment& e) {
    const Collective& collective = e.collective;
    const Reduction& reduction = e.options.reduction;
    const bool is_of_numbers = collective.is_own() || collective.scans() || collective.operation->fit != nullptr ||
                               collective.operation == Operation::permutation || collective.counts != nullptr ||
                               collective.sources != nullptr;
    const bool folds_by_numbers =
        collective.folds() && (!reduction.values.empty() || reduction.op == Operator::concat ||
                               reduction.op == Operator::minloc || reduction.op == Operator::maxloc);
    const bool has_parts = collective.members != nullptr || collective.groups != nullptr || !e.options.groups.empty() ||
                           !e.unaware_of.empty();
    return !is_of_numbers && !folds_by_numbers && !has_parts;
}

}  // namespace

void know_family(const Words& words, Experiment& e) {
    const Topology& graph = e.topology();
    const bool runs_here = has_word("run show compare bounds explain", words.command) &&
                           !is_algorithm_file(e.algorithm) && e.besides.empty();
    // A sweep calls its machines by their specifications.
    if (!runs_here || words.has("--sweep") || graph.family() != "file" || !means_same_under_all_numbers(e)) return;
    std::optional<Machine> machine = recognized_machine(e.machine);
    if (!machine) return;
    e.machine = std::move(*machine);
    // Operations without a root keep the family's node 0 where none is named: not every algorithm passes through another.
    if (e.collective.rooted() || words.has("--source"))
        e.collective.root = e.topology().membership()->nodes.rank(e.collective.root);
}

namespace {

/// "dim:1": the lines along a dimension of a mesh or torus.
std::vector<std::vector<NodeId>> lines_named(std::string_view dimension, const Topology& topology,
                                             const std::string& where) {
    const auto* grid = dynamic_cast<const Grid*>(&topology);
    const auto i = to_count(dimension);
    if (grid == nullptr)
        throw RequestError(
            fmt::format("{}: {} is no mesh or torus, whose lines could be groups; want NODES/NODES, such "
                        "as 0-3/4-7",
                        where, topology.spec()));
    if (!i || *i >= static_cast<std::uint64_t>(grid->dimensions()))
        throw RequestError(
            fmt::format("{}: {} has dimensions 0 to {}", where, topology.spec(), grid->dimensions() - 1));
    const auto along = static_cast<int>(*i);
    std::vector<std::vector<NodeId>> lines;
    for (NodeId v = 0; v < topology.nodes(); ++v) {
        if (grid->coordinate(v, along) != 0) continue;
        std::vector<NodeId>& line = lines.emplace_back();
        for (NodeId x = 0; x < grid->side(along); ++x) line.push_back(grid->with_coordinate(v, along, x));
    }
    return lines;
}

/// "bits:0,1": the subcubes of a hypercube over these bits.
std::vector<std::vector<NodeId>> subcubes_named(std::string_view bits, const Topology& topology,
                                                const std::string& where) {
    const auto* cube = dynamic_cast<const Hypercube*>(&topology);
    if (cube == nullptr)
        throw RequestError(
            fmt::format("{}: {} is no hypercube, whose subcubes could be groups; want NODES/NODES, such "
                        "as 0-3/4-7",
                        where, topology.spec()));
    NodeId mask = 0;
    for (const std::string_view word : split(bits, ',')) {
        const auto bit = to_count(word);
        if (!bit || *bit >= static_cast<std::uint64_t>(cube->dimensions()))
            throw RequestError(fmt::format("{}: bit {}; {} has bits 0 to {}", where, quoted(word), topology.spec(),
                                           cube->dimensions() - 1));
        if ((mask >> *bit & 1) != 0) throw RequestError(fmt::format("{}: bit {} stands there twice", where, *bit));
        mask |= NodeId{1} << *bit;
    }
    std::vector<std::vector<NodeId>> cubes;
    for (NodeId first = 0; first < topology.nodes(); ++first) {
        if ((first & mask) != 0) continue;
        std::vector<NodeId>& cube_of = cubes.emplace_back();
        for (NodeId v = first; v < topology.nodes(); ++v)
            if ((v & ~mask) == first) cube_of.push_back(v);
    }
    return cubes;
}

std::vector<std::vector<NodeId>> groups_named(std::string_view text, const Topology& topology) {
    constexpr std::string_view by_dimension = "dim:";
    constexpr std::string_view by_bits = "bits:";
    const std::string where = fmt::format("--groups {}", quoted(text));
    const bool is_listed = text.starts_with(by_dimension) || text.starts_with(by_bits);
    if (is_listed && topology.nodes() > nodes_listed_max)
        throw RequestError(fmt::format("{}: groups of {} are listed; want at most {}", where,
                                       counted(topology.nodes(), "node"), nodes_listed_max));
    if (text.starts_with(by_dimension)) return lines_named(text.substr(by_dimension.size()), topology, where);
    if (text.starts_with(by_bits)) return subcubes_named(text.substr(by_bits.size()), topology, where);
    std::vector<std::vector<NodeId>> groups;
    std::set<NodeId> seen;
    for (const std::string_view group : split(text, '/')) {
        groups.push_back(nodes_named(group, topology, "--groups"));
        for (const NodeId v : groups.back())
            if (!seen.insert(v).second)
                throw RequestError(
                    fmt::format("{}: node {} is in two groups; want each node in one", where, topology.name(v)));
    }
    return groups;
}

/// Each group's root is its first node; that of one group is named.
NodeId root_in_groups(const Words& words, const Experiment& e, const std::vector<RankedNodes>& groups) {
    const auto source = words.get("--source");
    if (!source) return e.collective.rooted() ? groups.front().node(0) : 0;
    const NodeId root = e.collective.root;
    if (std::ranges::none_of(groups, [&](const RankedNodes& group) { return group.has(root); }))
        throw RequestError(fmt::format("--source {}: node {} is in no group; want a node of one", quoted(*source),
                                       e.topology().name(root)));
    return root;
}

}  // namespace

void know_groups(const Words& words, Experiment& e) {
    constexpr std::string_view in_phases = "hierarchical";
    const bool has_phases = e.algorithm == in_phases || !e.options.intra.empty() || !e.options.inter.empty();
    if (!words.has("--groups")) {
        for (const char* option : {"--intra", "--inter"})
            if (words.has(option))
                throw RequestError(
                    fmt::format("{}: of which groups? want --groups GROUPS and --algorithm hierarchical "
                                "with it, or leave {} out",
                                option, option));
        return;
    }
    refuse_beside(words, "--groups", {"--members", "--relay"});
    const std::vector<std::vector<NodeId>> groups = groups_named(e.groups, e.topology());
    if (has_phases) {
        std::vector<bool> has(e.topology().nodes(), false);
        for (const std::vector<NodeId>& group : groups)
            for (const NodeId v : group) has[v] = true;
        if (const auto out = std::ranges::find(has, false); out != has.end())
            throw RequestError(
                fmt::format("--groups {}: node {} is in no group; hierarchical takes groups of all nodes",
                            quoted(e.groups), e.topology().name(static_cast<NodeId>(out - has.begin()))));
        e.options.groups = groups;
        return;
    }
    refuse_beside(words, "--groups",
                  {"--sources", "--counts", "--sizes", "--unaware", "--inject", "--record", "--picture", "--trace",
                   "--slow", "--td-by", "--tm-by"});
    if (words.command == "show")
        throw RequestError(fmt::format("--groups {}: groups are not drawn together; want --members with one of them",
                                       quoted(e.groups)));
    std::vector<RankedNodes> ranked(groups.begin(), groups.end());
    e.collective.root = root_in_groups(words, e, ranked);
    e.collective.groups = std::make_shared<const std::vector<RankedNodes>>(std::move(ranked));
}

NodeId counted_nodes(const Experiment& e) { return e.collective.member_count(e.topology().nodes()); }

void know_relays(const Words& words, Experiment& e) {
    if (e.collective.members == nullptr) return;
    refuse_beside(words, "--relay", {"--sources"});
    const std::vector<NodeId> members = std::exchange(e.collective.members, nullptr)->nodes();
    std::vector<std::string>& values = e.options.reduction.values;
    if (!values.empty() && values.size() == members.size()) {  // by rank; the others contribute nothing
        std::vector<std::string> by_node(e.topology().nodes(), values.front());
        for (std::size_t rank = 0; rank < members.size(); ++rank) by_node[members[rank]] = values[rank];
        values = std::move(by_node);
    } else if (!values.empty()) {
        throw RequestError(fmt::format("--values has {}; {} among {} takes {}", counted(values.size(), "number"),
                                       name(e.collective.operation), counted(members.size(), "member"),
                                       members.size()));
    }
    try {
        e.collective = among_relays(std::move(e.collective), members, e.topology().nodes());
    } catch (const RequestError& error) {
        throw RequestError(fmt::format(
            "--{}", boost::replace_first_copy(std::string(error.what()), "members alone", "--relay members")));
    }
}

std::shared_ptr<const Topology> named_topology(const std::shared_ptr<const Topology>& topology) {
    return topology == nullptr || topology->membership() == nullptr ? topology : topology->membership()->whole;
}

}  // namespace kport::requests
