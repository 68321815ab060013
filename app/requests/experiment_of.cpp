#include "app/requests/experiment_of.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/requests/graphs.hpp"
#include "app/requests/sources.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/topology/family.hpp"

namespace kport::requests {

namespace {

/// Reads the options one by one; an option that was not given keeps the default of its field.
class Reader {
  public:
    explicit Reader(const Words& words, std::shared_ptr<const Topology> topology = nullptr) : words_(words) {
        e_.machine.topology = std::move(topology);
    }

    [[nodiscard]] Experiment read() {
        read_operation();
        if (e_.machine.topology == nullptr) e_.machine.topology = topology_of(words_);
        e_.graph_words = graph_options_in_words(words_);
        read_ports();
        read_costs();
        read_request();
        read_algorithm();
        read_reduction();
        read_engine();
        read_trouble();
        e_.per_round = words_.has("--per-round");
        require_valid(e_);
        return std::move(e_);
    }

    [[nodiscard]] Machine read_machine(const Machine& otherwise) {
        e_.machine = otherwise;
        read_ports();
        read_costs();
        return e_.machine;
    }

    [[nodiscard]] ScheduleContext read_context() {
        ScheduleContext context;
        const std::optional<std::string> operation =
            words_.command == "convert" ? words_.get("--operation") : words_.of;
        if (operation) context.operation = operation_or_none_named(*operation);
        if (words_.has("--on")) e_.machine.topology = topology_of(words_);
        read_ports();
        read_costs();
        context.machine = e_.machine;
        context.root = words_.get("--source");
        if (const auto size = words_.get("--bytes")) context.packet_bytes = parse_size(*size, "--bytes");
        if (const auto m = words_.get("--packets"))
            context.packets_each = parse_count(*m, "--packets", 1, own_packets_max);
        context.all_held = choose("--promise", {{"all-held", true}}, false);
        if (const auto law = words_.get("--rules")) context.rules = rules_named(*law);
        return context;
    }

  private:
    /// The value of the word that was given, or `otherwise`.
    template <class Value>
    [[nodiscard]] Value choose(const char* option, std::initializer_list<std::pair<std::string_view, Value>> choices,
                               Value otherwise) const {
        const std::optional<std::string> given = words_.get(option);
        if (!given) return otherwise;
        std::vector<std::string_view> valid;
        for (const auto& [word, value] : choices) {
            if (word == *given) return value;
            valid.push_back(word);
        }
        refuse_several(option, *given);
        throw RequestError(fmt::format("{} {} is unknown{} ({})", option, quoted(*given), did_you_mean(*given, valid),
                                       fmt::join(valid, ", ")));
    }

    /// Commands that take several values have taken them apart before.
    static void refuse_several(std::string_view option, std::string_view given) {
        constexpr std::string_view listed = "--ports --switching --combining --keep --bytes --packets --ts --td --tm";
        const bool range = (option == "--bytes" || option == "--packets") && given.find("..") != std::string_view::npos;
        if ((range || given.find(',') != std::string_view::npos) && listed.find(option) != std::string_view::npos)
            throw RequestError(
                fmt::format("{} {}: one machine has one value; 'kport compare' takes several", option, quoted(given)));
    }

    void read_operation() {
        if (!words_.subject)
            throw RequestError(
                fmt::format("which operation? kport {} OPERATION --on TOPOLOGY, such as broadcast "
                            "('kport list operations' shows all)",
                            words_.command));
        if (begins_as_topology(*words_.subject))
            throw RequestError(fmt::format("{} is a topology; want kport {} OPERATION --on {}", quoted(*words_.subject),
                                           words_.command, as_shell_word(*words_.subject)));
        e_.collective.operation = operation_named(*words_.subject);
    }

    void read_ports() {
        if (const auto k = words_.get("--ports")) {
            const bool number = !k->empty() && ((k->front() >= '0' && k->front() <= '9') || k->front() == '-');
            refuse_several("--ports", *k);
            if (*k == "all")
                e_.machine.ports = PortLimit::all();
            else if (!k->empty() && !number)
                throw RequestError(
                    fmt::format("--ports {} is neither a number nor 'all'; want 1, 2, ... or all", quoted(*k)));
            else
                e_.machine.ports = PortLimit(static_cast<Port>(parse_count(*k, "--ports", 1, no_port - 1)));
        }
        Machine& machine = e_.machine;
        machine.duplex = choose<Duplex>("--duplex", {{"full", Duplex::full}, {"half", Duplex::half}}, machine.duplex);
        machine.links = choose<Duplex>("--links", {{"full", Duplex::full}, {"half", Duplex::half}}, machine.links);
        machine.pairwise |= words_.has("--pairwise");
        machine.noho = choose<Noho>("--noho", {{"wide", Noho::wide}, {"strict", Noho::strict}}, machine.noho);
        machine.switching = choose<Switching>(
            "--switching", {{"sf", Switching::store_and_forward}, {"wh", Switching::wormhole}}, machine.switching);
        machine.combining = choose<bool>("--combining", {{"on", true}, {"off", false}}, machine.combining);
        machine.policy =
            choose<Policy>("--policy", {{"queue", Policy::queue}, {"strict", Policy::strict}}, machine.policy);
    }

    void read_costs() {
        const auto cost = [&](const char* option, double& into) {
            const auto text = words_.get(option);
            if (!text) return;
            refuse_several(option, *text);
            into = parse_cost(*text, option);
        };
        cost("--ts", e_.machine.costs.startup);
        cost("--td", e_.machine.costs.hop);
        cost("--tm", e_.machine.costs.byte);
    }

    void read_request() {
        if (const auto source = words_.get("--source")) {
            // Some algorithms go through a root where the operation has none; they say so.
            const auto takes_one = [&](const Algorithm& row) {
                return row.operation == e_.collective.operation && row.through_root && words_.command != "bounds";
            };
            if (!e_.collective.rooted() && std::ranges::none_of(catalogue(), takes_one))
                throw RequestError(fmt::format("{0} {1}: {2} has no source; leave {0} out", words_.typed("--source"),
                                               quoted(*source), name(e_.collective.operation)));
            if (names_several(*source, e_.topology()))
                throw RequestError(fmt::format("{} {}: a run has one source; 'kport compare' takes several",
                                               words_.typed("--source"), quoted(*source)));
            e_.collective.root = e_.topology().node(*source);
        }
        if (const auto law = words_.get("--rules")) e_.collective.rules = rules_named(*law);
        if (const auto size = words_.get("--bytes")) {
            refuse_several("--bytes", *size);
            e_.collective.packet_bytes = parse_size(*size, "--bytes");
        }
        if (const auto m = words_.get("--packets")) {
            refuse_several("--packets", *m);
            // What fits into 64 bits is refused with all else, and with the reason.
            const std::uint64_t most =
                to_count(*m) ? count_max : packets_each_max(e_.collective, e_.topology().nodes());
            e_.collective.packets_each = parse_count(*m, "--packets", 1, most);
        }
        if (e_.collective.signals()) {
            refuse_for_signals("--rules", "NODUP and NOHO are void in a");
            refuse_for_signals("--noho", "NOHO is void in a");
            refuse_for_signals("--bytes", "there are no bytes in the signals of a");
            e_.collective.packet_bytes = 0;
        }
        if (const auto permutation = words_.get("--permutation")) {
            if (e_.collective.operation != Operation::permutation)
                throw RequestError(fmt::format("--permutation {}: {} has none; leave --permutation out",
                                               quoted(*permutation), name(e_.collective.operation)));
            e_.collective.permutation = permutation_named(*permutation);
        }
        e_.payload = choose<bool>("--payload", {{"copy", true}, {"none", false}}, true);
    }

    void refuse_for_signals(const char* option, std::string_view why) const {
        if (const auto given = words_.get(option))
            throw RequestError(fmt::format("{0} {1}: {2} {3}; leave {0} out", option, quoted(*given), why,
                                           name(e_.collective.operation)));
    }

    void read_algorithm() {
        if (const auto algorithm = words_.get("--algorithm")) {
            if (algorithm->empty()) throw RequestError("--algorithm is empty; leave it out for the best that applies");
            if (algorithm->find(',') != std::string::npos && algorithm->find('/') == std::string::npos)
                read_algorithms(*algorithm);
            else
                e_.algorithm = *algorithm;
        }
        if (const auto files = words_.get("--with"))
            for (const std::string_view file : split(*files, ' ')) e_.besides.emplace_back(file);
        if (words_.has("--keep"))
            e_.options.keep =
                choose<Keep>("--keep", {{"smaller", Keep::smaller}, {"greater", Keep::greater}}, Keep::smaller);
        if (const auto arity = words_.get("--arity")) e_.options.arity = parse_count(*arity, "--arity", 1, nodes_max);
        if (words_.has("--gather"))
            e_.options.gather =
                choose<GatherBy>("--gather", {{"bruck", GatherBy::bruck}, {"ring", GatherBy::ring}}, GatherBy::bruck);
        if (const auto blocks = words_.get("--aggregate"))
            e_.options.aggregate = parse_count(*blocks, "--aggregate", 1);
        if (const auto order = words_.get("--dimensions"))
            for (const std::string_view part : split(*order, ','))
                e_.options.dimensions.push_back(static_cast<unsigned>(
                    parse_count(part, fmt::format("--dimensions {}: dimension", quoted(*order)), 0, 63)));
    }

    void read_algorithms(const std::string& list) {
        if (words_.command != "compare")
            throw RequestError(
                fmt::format("--algorithm {}: one algorithm at a time; 'kport compare' takes several", quoted(list)));
        for (const std::string_view name : split(list, ',')) {
            if (name.empty() || std::ranges::find(e_.algorithms, name) != e_.algorithms.end())
                throw RequestError(
                    fmt::format("--algorithm {}: want each name once, with a comma between two", quoted(list)));
            e_.algorithms.emplace_back(name);
        }
    }

    void read_reduction() {
        if (!e_.collective.folds()) {
            for (const char* option : {"--op", "--type", "--values"})
                if (words_.has(option))
                    throw RequestError(fmt::format("{} {}: {} folds nothing; leave {} out", option,
                                                   quoted(*words_.get(option)), name(e_.collective.operation), option));
            return;
        }
        Reduction& reduction = e_.options.reduction;
        reduction.op = choose<Operator>("--op",
                                        {{"sum", Operator::sum},
                                         {"min", Operator::min},
                                         {"max", Operator::max},
                                         {"xor", Operator::exclusive_or},
                                         {"concat", Operator::concat}},
                                        Operator::sum);
        reduction.type = choose<ElementType>(
            "--type", {{"int64", ElementType::int64}, {"double", ElementType::real}, {"string", ElementType::text}},
            reduction.op == Operator::concat ? ElementType::text : ElementType::int64);
        if (const auto values = words_.get("--values"))
            for (const std::string_view value : split(*values, ',')) reduction.values.emplace_back(value);
    }

    void read_engine() {
        e_.engine = choose<EngineKind>("--engine", {{"lockstep", EngineKind::lockstep}, {"free", EngineKind::free}},
                                       EngineKind::lockstep);
        if (const auto threads = words_.get("--threads"))
            e_.threads = static_cast<unsigned>(parse_count(*threads, "--threads", 1, run_threads_max));
        if (const auto nodes = words_.get("--partition-nodes"))
            e_.partition_nodes = parse_count(*nodes, "--partition-nodes", 1, nodes_max);
        if (const auto seed = words_.get("--seed")) e_.seed = parse_count(*seed, "--seed");
    }

    void read_trouble() {
        if (const auto fault = words_.get("--inject")) e_.injection = injection_named(*fault);
        if (const auto rounds = words_.get("--max-rounds"))
            e_.max_rounds = static_cast<Round>(parse_count(*rounds, "--max-rounds", 1, ~Round{0} - 1));
        if (const auto round = words_.get("--until"))
            e_.until = static_cast<Round>(parse_count(*round, "--until", 1, ~Round{0}));
        if (const auto order = words_.get("--order")) {
            if (*order == "preorder")
                e_.options.preorder = true;
            else if (has_word("bounds explain", words_.command) || words_.has("--message"))
                throw RequestError(
                    fmt::format("--order {}: no nodes run, so they have no order; want --order preorder, "
                                "which a scan takes, or leave --order out",
                                quoted(*order)));
            else
                e_.order = parse_count(*order, "--order");
        }
    }

    const Words& words_;
    Experiment e_;
};

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
    return make_topology(*spec);
}

Experiment experiment_of(const Words& words, std::shared_ptr<const Topology> topology) {
    return Reader(words, std::move(topology)).read();
}

Machine machine_of(const Words& words, const Machine& otherwise) { return Reader(words).read_machine(otherwise); }

ScheduleContext schedule_context_of(const Words& words) { return Reader(words).read_context(); }

}  // namespace kport::requests
