#include "app/grade/exercise.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/catalogue.hpp"
#include "app/files/graph_file.hpp"
#include "app/grade/fields.hpp"
#include "app/grade/mark.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/texts.hpp"
#include "app/session/choose.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/random.hpp"
#include "emulator/report/words.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/renumbered.hpp"

namespace kport::grade {

namespace {

constexpr NodeId exercise_nodes_most = 4096;
constexpr std::size_t machines_most = 1000;

/// Options of the command line that an exercise gives as members, without the dashes.
constexpr std::array<std::string_view, 14> option_names = {"ports",     "duplex",    "links",  "pairwise", "noho",
                                                           "switching", "combining", "bytes",  "packets",  "ts",
                                                           "td",        "tm",        "source", "rules"};

/// The value as one types it behind the option.
std::string option_value(const Fields& fields, const Json& value, std::string_view name) {
    if (value.is_string() && !value.get<std::string>().empty()) return value.get<std::string>();
    if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
    if (value.is_number_float()) return number(value.get<double>());
    if (value.is_boolean() && name == "pairwise" && value.get<bool>()) return "true";
    fields.refuse(name, fmt::format("what --{} takes on the command line, as a text or a number", name));
}

std::vector<std::pair<std::string, std::string>> options_in(const Fields& fields, const Json& exercise) {
    std::vector<std::pair<std::string, std::string>> options;
    for (const std::string_view name : option_names) {
        if (!fields.has(name)) continue;
        std::string value = option_value(fields, exercise[std::string(name)], name);
        options.emplace_back(fmt::format("--{}", name), std::move(value));
    }
    return options;
}

/// A graph with other numbers of nodes, as a file of METIS: programs that know how a family numbers its nodes do not know this one.
std::string renumbered_text(const std::shared_ptr<const Topology>& graph, std::uint64_t seed) {
    if (graph->fabric() != nullptr)
        throw RequestError("nodes behind switches are not renumbered; leave \"renumbered\" out");
    std::vector<std::uint32_t> numbers(graph->nodes());
    std::iota(numbers.begin(), numbers.end(), 0);
    Dice dice(seed);
    dice.shuffle(numbers);
    const Renumbered renumbered(graph, std::move(numbers));
    std::string text = fmt::format("{} {}\n", renumbered.nodes(), renumbered.channels() / 2);
    for (NodeId v = 0; v < renumbered.nodes(); ++v) {
        std::vector<NodeId> neighbours;
        for_each_neighbour(renumbered, v, [&](NodeId w) { neighbours.push_back(w + 1); });
        text += fmt::format("{}\n", fmt::join(neighbours, " "));
    }
    return text;
}

std::shared_ptr<const Topology> topology_in(const std::string& graph) {
    GraphOptions options;
    options.format = "metis";
    std::istringstream in(graph);
    return machine_graph(read_graph_file(in, "renumbered", options));
}

/// The experiment of a run on the machine, as the command line has it. A source "any" is drawn by the machine's number.
Experiment experiment_on(const Exercise& exercise, const ExerciseMachine& machine) {
    requests::Words words;
    words.command = "run";
    words.subject = exercise.operation;
    for (const auto& [option, value] : exercise.options) words.values[option] = value;
    words.values["--on"] = machine.on;
    // Other numbers are what a hand-in is tried with.
    Experiment experiment = requests::experiment_of(words, machine.graph.empty() ? nullptr : topology_in(machine.graph),
                                                    requests::GraphFiles::as_they_are);
    if (exercise.any_source && experiment.collective.rooted())
        experiment.collective.root = Dice(exercise.machines.size() + 1).below(experiment.topology().nodes());
    return experiment;
}

void require_bounds(const Exercise& exercise, const ExerciseMachine& machine) {
    for (const Criterion& criterion : exercise.criteria) {
        if (!criterion.quantity) continue;
        const bool asks = !criterion.at_most || criterion.at_most->names("bound") ||
                          (criterion.zero_from && criterion.zero_from->names("bound"));
        if (asks && !machine.bounds[*criterion.quantity].value)
            throw RequestError(fmt::format("no lower bound of {} is known there, which the criterion {} asks for",
                                           row(*criterion.quantity).title, criterion.name));
    }
    for (const Criterion& criterion : exercise.criteria)
        if (criterion.zero_from && allowed_on(machine, machine.bounds, *criterion.quantity, *criterion.zero_from) <=
                                       allowed_on(machine, machine.bounds, *criterion.quantity, *criterion.at_most))
            throw RequestError(fmt::format("the criterion {} gives no points from {} on, and all up to {}; want more",
                                           criterion.name, criterion.zero_from->text(), criterion.at_most->text()));
}

/// Adds the machine. Errors begin with the place.
void add_machine(Exercise& exercise, ExerciseMachine machine, const std::string& place) {
    try {
        if (machine.renumbered)
            machine.graph = renumbered_text(make_topology(machine.on), exercise.machines.size() + 1);
        machine.experiment = experiment_on(exercise, machine);
        const NodeId nodes = machine.experiment.topology().nodes();
        if (nodes < 2 || nodes > exercise_nodes_most)
            throw RequestError(fmt::format("it has {}; want 2 to {}", counted(nodes, "node"), exercise_nodes_most));
        if (!machine.experiment.collective.promises())
            throw RequestError("nothing is promised, so that nothing can be judged; want another operation");
        for (const KindRow& kind : kind_rows)
            if (kind.runs && exercise.takes.contains(kind.kind) && !begins_as_topology(machine.on))
                throw RequestError(fmt::format(
                    "programs run on machines of families, not on graphs in files; leave \"{}\" out", kind.name));
        machine.bounds = bound_lines(reached_bounds(machine.experiment.machine, machine.experiment.collective));
        machine.label = machine.hidden ? fmt::format("hidden machine {}", exercise.machines.size() + 1) : machine.on;
        require_bounds(exercise, machine);
        if (exercise.takes.contains(Kind::numbers)) {
            if (machine.hidden) throw RequestError("there are no answers for a hidden machine; leave \"hidden\" out");
            machine.answers = right_answers(exercise, machine);
        }
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("{}: {}", place, requests::in_options(error.what())));
    }
    if (exercise.machines.size() == machines_most)
        throw RequestError(fmt::format("{}: more than {} machines; want fewer", place, machines_most));
    exercise.machines.push_back(std::move(machine));
}

const TopologyFamily& family_in(const Fields& fields) {
    const std::string name = fields.text("family", "a family of topologies, such as \"mesh\"");
    const auto found = std::ranges::find(topology_families(), name, &TopologyFamily::name);
    if (found == topology_families().end())
        fields.refuse("family", "a family of topologies ('kport list topologies' shows all), such as \"mesh\"");
    return *found;
}

std::pair<NodeId, NodeId> sizes_in(const Fields& fields) {
    constexpr std::string_view wanted = "the least and the largest number of nodes, such as [4, 64]";
    const Json& sizes = fields.list("nodes");
    if (sizes.size() != 2 || !sizes[0].is_number_unsigned() || !sizes[1].is_number_unsigned())
        fields.refuse("nodes", wanted);
    const auto least = sizes[0].get<NodeId>();
    const auto most = sizes[1].get<NodeId>();
    if (least < 2 || least > most || most > exercise_nodes_most)
        fields.refuse("nodes", fmt::format("{}, from 2 to {}", wanted, exercise_nodes_most));
    return {least, most};
}

/// Different members of the family, drawn by the seed.
std::vector<std::string> drawn_in(const Fields& fields) {
    const TopologyFamily& family = family_in(fields);
    const auto [least, most] = sizes_in(fields);
    const std::uint64_t wanted = fields.count("draw", 1, machines_most);
    std::vector<std::string> all;
    for (NodeId nodes = least; nodes <= most; ++nodes)
        for (const std::string& parameters : family.members(nodes)) all.push_back(spec_of(family, parameters));
    if (all.size() < wanted)
        fields.refuse("draw", fmt::format("at most {}, which {} has of these sizes", all.size(), family.name));
    Dice dice(fields.count("seed", 0, count_max, 1));
    dice.shuffle(all);
    all.resize(wanted);
    return all;
}

void read_machine(Exercise& exercise, const Json& json, const std::string& place) {
    const Fields fields(json, place);
    ExerciseMachine machine;
    machine.hidden = fields.flag("hidden");
    machine.renumbered = fields.flag("renumbered");
    if (machine.renumbered && !machine.hidden) fields.refuse("renumbered", "a hidden machine, \"hidden\": true");
    machine.weight = fields.positive("weight", 1.0);
    if (fields.has("on")) {
        fields.require_known({"on", "weight", "hidden", "renumbered"});
        machine.on = fields.text("on", "a machine, such as \"mesh:4x4\"");
        return add_machine(exercise, std::move(machine), place);
    }
    fields.require_known({"family", "nodes", "draw", "seed", "weight", "hidden", "renumbered"});
    for (const std::string& on : drawn_in(fields)) {
        machine.on = on;
        add_machine(exercise, machine, place);
    }
}

std::optional<Quantity> quantity_named(std::string_view key) {
    const auto found = std::ranges::find(quantity_rows, key, &QuantityRow::key);
    return found == quantity_rows.end() ? std::nullopt : std::optional(found->quantity);
}

const std::initializer_list<std::string_view> quantity_words = {"rounds", "work", "path_sum", "volume", "latency"};

std::optional<Quantity> quantity_in(const Fields& fields, std::string_view name) {
    return quantity_named(fields.word(name, quantity_words));
}

Allowance formula_in(const Fields& fields, std::string_view name) {
    return Allowance(fields.text(name, "a formula, such as \"bound + 2\""), fields.place_of(name));
}

/// A key stands before the last colon of a line.
std::string key_in(const Fields& fields) {
    constexpr std::string_view wanted =
        "a name of at most 40 letters, digits, blanks and . _ -, such as \"rounds of sbt\"";
    constexpr std::size_t letters_most = 40;
    std::string key = fields.text("key", wanted);
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view(" ._-").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (key.size() > letters_most || !std::ranges::all_of(key, is_plain) || key.front() == ' ' || key.back() == ' ')
        fields.refuse("key", wanted);
    return key;
}

void read_answer(Criterion& criterion, const Fields& fields) {
    criterion.key = key_in(fields);
    if (fields.has("counted")) {
        fields.require_known({"name", "points", "key", "counted", "algorithm"});
        criterion.counted = quantity_in(fields, "counted");
        criterion.algorithm = fields.text("algorithm", "an algorithm, such as \"sbt\"");
        return;
    }
    fields.require_known({"name", "points", "key", "value", "of"});
    criterion.value = formula_in(fields, "value");
    if (criterion.value->names("bound")) criterion.quantity = quantity_in(fields, "of");
}

Criterion read_criterion(const Json& json, bool is_answer, const std::string& place) {
    const Fields fields(json, place);
    Criterion criterion;
    criterion.points = fields.positive("points");
    if (is_answer) {
        criterion.name = fields.word("name", {"answer"});
        read_answer(criterion, fields);
        return criterion;
    }
    criterion.name = fields.word("name", {"lawful", "optimal", "rounds", "work", "path_sum", "volume", "latency"});
    if (criterion.name == "lawful") {
        fields.require_known({"name", "points"});
    } else if (criterion.name == "optimal") {
        fields.require_known({"name", "points", "of"});
        criterion.quantity = quantity_in(fields, "of");
    } else {
        fields.require_known({"name", "points", "at_most", "zero_from"});
        criterion.quantity = quantity_named(criterion.name);
        criterion.at_most = formula_in(fields, "at_most");
        if (fields.has("zero_from")) criterion.zero_from = formula_in(fields, "zero_from");
    }
    return criterion;
}

void read_criteria(Exercise& exercise, const Fields& fields) {
    const Json& all = fields.list("criteria");
    std::set<std::string> names;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string place = fmt::format("{}[{}]", fields.place_of("criteria"), i);
        Criterion criterion = read_criterion(all[i], exercise.takes.contains(Kind::numbers), place);
        std::string key = criterion.key.empty() ? criterion.name : criterion.key;
        if (criterion.name == "optimal") key += fmt::format(" of {}", row(*criterion.quantity).key);
        if (!names.insert(key).second)
            throw RequestError(fmt::format("{}: the criterion {} stands there twice; want it once", place, key));
        exercise.criteria.push_back(std::move(criterion));
    }
}

std::set<Kind> takes_in(const Fields& fields) {
    if (!fields.has("hand_in")) return {Kind::schedule};
    std::set<Kind> takes;
    for (const Json& name : fields.list("hand_in")) {
        const auto found = std::ranges::find_if(kind_rows, [&](const KindRow& kind) { return name == kind.name; });
        if (found == kind_rows.end())
            fields.refuse("hand_in", "a list of \"schedule\", \"python\" and \"cpp\", or [\"numbers\"]");
        takes.insert(found->kind);
    }
    if (takes.contains(Kind::numbers) && takes.size() > 1)
        fields.refuse("hand_in", "[\"numbers\"] alone: its criteria are answers");
    return takes;
}

Limits limits_in(const Fields& fields, const Json& exercise) {
    constexpr std::uint64_t memory_least = std::uint64_t{64} << 20;
    constexpr double seconds_most = 3600;
    constexpr std::uint64_t messages_most = 10'000'000;
    Limits limits;
    if (!fields.has("limits")) return limits;
    const Fields members(exercise["limits"], fields.place_of("limits"));
    members.require_known({"seconds", "memory", "messages"});
    limits.seconds = members.positive("seconds", limits.seconds);
    if (limits.seconds > seconds_most) members.refuse("seconds", "at most 3600");
    if (members.has("memory"))
        limits.memory = parse_size(members.text("memory", "a size, such as \"512MiB\""), members.place_of("memory"));
    if (limits.memory < memory_least) members.refuse("memory", "64MiB or more");
    limits.messages = members.count("messages", 1, messages_most, limits.messages);
    return limits;
}

void read_what_is_asked(Exercise& exercise, const Fields& fields, const Json& json) {
    (void)fields.count("kport_exercise", 1, 1);
    exercise.title = fields.text("title", "a text");
    exercise.operation = fields.text("operation", "an operation, such as \"broadcast\"");
    exercise.options = options_in(fields, json);
    exercise.any_source = std::erase(exercise.options, std::pair<std::string, std::string>("--source", "any")) > 0;
    exercise.takes = takes_in(fields);
    exercise.knows = fields.word("knows", {"own", "graph"}, "graph") == "own" ? Knows::own : Knows::graph;
    exercise.limits = limits_in(fields, json);
    const std::string each = fields.word("each_machine", {"worst", "mean"}, "worst");
    exercise.each_machine = each == "worst" ? EachMachine::worst : EachMachine::mean;
    const std::string feedback = fields.word("feedback", {"none", "points", "first_failure", "all"}, "first_failure");
    exercise.feedback = feedback == "none"     ? Feedback::none
                        : feedback == "points" ? Feedback::points
                        : feedback == "all"    ? Feedback::all
                                               : Feedback::first_failure;
}

}  // namespace

double Exercise::points() const {
    return std::accumulate(criteria.begin(), criteria.end(), 0.0,
                           [](double sum, const Criterion& criterion) { return sum + criterion.points; });
}

double allowed_on(const ExerciseMachine& machine, const BoundLines& bounds, Quantity quantity,
                  const Allowance& allowance) {
    const Topology& topology = machine.experiment.topology();
    return allowance.value([&](std::string_view figure) -> double {
        if (figure == "bound") return bounds[quantity].value.value_or(0);
        if (figure == "nodes") return static_cast<double>(topology.nodes());
        if (figure == "diameter") return static_cast<double>(topology.diameter());
        if (figure == "degree") return static_cast<double>(topology.max_degree());
        return static_cast<double>(machine.experiment.collective.packets_each);
    });
}

Exercise read_exercise(const std::string& text, const std::string& name) {
    const std::string what = fmt::format("exercise {}", quoted(name));
    const Json json = strict_json(text, what);
    const Fields fields(json, what);
    fields.require_known(
        {"kport_exercise", "title",     "operation", "ports",   "duplex",   "links",        "pairwise", "noho",
         "switching",      "combining", "bytes",     "packets", "ts",       "td",           "tm",       "source",
         "rules",          "machines",  "hand_in",   "knows",   "criteria", "each_machine", "limits",   "feedback"});
    Exercise exercise;
    read_what_is_asked(exercise, fields, json);
    read_criteria(exercise, fields);
    const Json& machines = fields.list("machines");
    for (std::size_t i = 0; i < machines.size(); ++i)
        read_machine(exercise, machines[i], fmt::format("{}[{}]", fields.place_of("machines"), i));
    return exercise;
}

}  // namespace kport::grade
