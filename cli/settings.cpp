#include "cli/settings.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <oneapi/tbb/info.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/engine/job.hpp"

namespace kport::cli {

namespace {

constexpr unsigned threads_max = run_threads_max;
constexpr std::uint64_t seed_default = 1;

/// Reads the options one by one; an option that was not given keeps the default of its field.
class Reader {
  public:
    explicit Reader(const Words& words) : words_(words) {}

    [[nodiscard]] Settings read() {
        read_operation();
        read_topology();
        read_ports();
        read_costs();
        read_request();
        read_algorithm();
        read_reduction();
        read_engine();
        read_trouble();
        s_.per_round = words_.has("--per-round");
        s_.json = words_.has("--json");
        return std::move(s_);
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
        constexpr std::string_view listed = "--ports --switching --combining --keep";
        if (given.find(',') != std::string_view::npos && listed.find(option) != std::string_view::npos)
            throw RequestError(
                fmt::format("{} {}: one machine has one value; 'kport compare' takes several", option, quoted(given)));
    }

    void read_operation() {
        if (!words_.subject)
            throw RequestError(
                fmt::format("which operation? kport {} OPERATION --on TOPOLOGY, such as broadcast "
                            "('kport list operations' shows all)",
                            words_.command));
        s_.collective.operation = operation_named(*words_.subject);
        s_.rooted = s_.collective.rooted();
    }

    void read_topology() {
        const std::optional<std::string> spec = words_.get("--on");
        if (!spec)
            throw RequestError(
                fmt::format("--on is missing: on which machine? such as --on hypercube:10 "
                            "('kport list topologies' shows all)"));
        if (spec->find_first_of("{}") != std::string::npos)
            throw RequestError(
                fmt::format("--on {0} wants one machine, without braces; kport compare {1} --sweep {0} takes many",
                            quoted(*spec), name(s_.collective.operation)));
        s_.machine.topology = make_topology(*spec);
    }

    void read_ports() {
        if (const auto k = words_.get("--ports")) {
            const bool number = !k->empty() && ((k->front() >= '0' && k->front() <= '9') || k->front() == '-');
            refuse_several("--ports", *k);
            if (*k == "all")
                s_.machine.ports = PortLimit::all();
            else if (!k->empty() && !number)
                throw RequestError(
                    fmt::format("--ports {} is neither a number nor 'all'; want 1, 2, ... or all", quoted(*k)));
            else
                s_.machine.ports = PortLimit(static_cast<Port>(parse_count(*k, "--ports", 1, no_port - 1)));
        }
        s_.machine.duplex = choose<Duplex>("--duplex", {{"full", Duplex::full}, {"half", Duplex::half}}, Duplex::full);
        s_.machine.links = choose<Duplex>("--links", {{"full", Duplex::full}, {"half", Duplex::half}}, Duplex::full);
        s_.machine.pairwise = words_.has("--pairwise");
        s_.machine.noho = choose<Noho>("--noho", {{"wide", Noho::wide}, {"strict", Noho::strict}}, Noho::wide);
        s_.machine.switching =
            choose<Switching>("--switching", {{"sf", Switching::store_and_forward}, {"wh", Switching::wormhole}},
                              Switching::store_and_forward);
        s_.machine.combining = choose<bool>("--combining", {{"on", true}, {"off", false}}, true);
        s_.machine.policy =
            choose<Policy>("--policy", {{"queue", Policy::queue}, {"strict", Policy::strict}}, Policy::queue);
    }

    void read_costs() {
        const auto cost = [&](const char* option, double& into) {
            if (const auto text = words_.get(option)) into = parse_cost(*text, option);
        };
        cost("--ts", s_.machine.costs.startup);
        cost("--td", s_.machine.costs.hop);
        cost("--tm", s_.machine.costs.byte);
        require_valid(s_.machine.costs);
    }

    void read_request() {
        if (const auto source = words_.get("--source")) {
            // An all-reduce may go through a root; the algorithm says whether it does.
            if (!s_.rooted && s_.collective.operation != Operation::allreduce)
                throw RequestError(fmt::format("--source {}: {} has no source; leave --source out", quoted(*source),
                                               name(s_.collective.operation)));
            s_.collective.root = s_.topology().node(*source);
        }
        if (const auto law = words_.get("--rules")) s_.collective.rules = rules_named(*law);
        require_valid(s_.collective, s_.topology());
        if (const auto size = words_.get("--bytes")) s_.collective.packet_bytes = parse_size(*size, "--bytes");
        s_.payload = choose<bool>("--payload", {{"copy", true}, {"none", false}}, true);
    }

    void read_algorithm() {
        if (const auto algorithm = words_.get("--algorithm")) {
            if (algorithm->empty()) throw RequestError("--algorithm is empty; leave it out for the best that applies");
            s_.algorithm = *algorithm;
        }
        if (words_.has("--keep"))
            s_.options.keep =
                choose<Keep>("--keep", {{"smaller", Keep::smaller}, {"greater", Keep::greater}}, Keep::smaller);
        if (const auto order = words_.get("--dimensions"))
            for (const std::string_view part : split(*order, ','))
                s_.options.dimensions.push_back(static_cast<unsigned>(
                    parse_count(part, fmt::format("--dimensions {}: dimension", quoted(*order)), 0, 63)));
    }

    void read_reduction() {
        if (!s_.collective.folds()) {
            for (const char* option : {"--op", "--type", "--values"})
                if (words_.has(option))
                    throw RequestError(fmt::format("{} {}: {} folds nothing; leave {} out", option,
                                                   quoted(*words_.get(option)), name(s_.collective.operation), option));
            return;
        }
        Reduction& reduction = s_.options.reduction;
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
        require_valid(reduction, s_.topology().nodes(), s_.collective.packet_bytes);
    }

    void read_engine() {
        s_.engine = choose<EngineKind>("--engine", {{"lockstep", EngineKind::lockstep}, {"free", EngineKind::free}},
                                       EngineKind::lockstep);
        s_.threads = std::clamp(static_cast<unsigned>(tbb::info::default_concurrency()), 1U, threads_max);
        if (const auto threads = words_.get("--threads")) {
            s_.threads = static_cast<unsigned>(parse_count(*threads, "--threads", 1, threads_max));
            s_.threads_given = true;
        }
        if (const auto nodes = words_.get("--partition-nodes")) {
            s_.partition_nodes = parse_count(*nodes, "--partition-nodes", 1, nodes_max);
            if (s_.engine == EngineKind::free)
                throw RequestError("--partition-nodes deals the nodes of lockstep; leave --engine free out");
        }
        if (const auto seed = words_.get("--seed")) s_.seed = parse_count(*seed, "--seed");
    }

    void read_trouble() {
        if (const auto fault = words_.get("--inject")) {
            s_.injection = parse_injection(*fault);
            s_.injection->seed = s_.seed;
        }
        if (const auto rounds = words_.get("--max-rounds"))
            s_.max_rounds = static_cast<Round>(parse_count(*rounds, "--max-rounds", 1, ~Round{0} - 1));
        if (const auto round = words_.get("--until"))
            s_.until = static_cast<Round>(parse_count(*round, "--until", 1, ~Round{0}));
        if (s_.until != 0 && s_.engine == EngineKind::free)
            throw RequestError("--until needs rounds that all nodes share; leave --engine free out");
        const auto order = words_.get("--order");
        if (!order) return;
        s_.order = parse_count(*order, "--order");
        if (s_.threads_given && s_.threads != 1)
            throw RequestError(fmt::format("--order runs on one thread; leave --threads {} out", s_.threads));
        s_.threads = 1;
    }

    const Words& words_;
    Settings s_;
};

/// As a shell takes it for one word: texts to be concatenated may hold anything.
std::string as_shell_word(std::string_view text) {
    const auto plain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view(",.+-_:/").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
    return word + "'";
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

Injection parse_injection(std::string_view text) {
    Injection injection;
    const std::size_t colon = text.find(':');
    injection.fault = fault_named(text.substr(0, colon));
    if (colon == std::string_view::npos) return injection;
    const std::string_view probability = text.substr(colon + 1);
    injection.probability = parse_cost(probability, fmt::format("--inject {}: probability", quoted(text)));
    if (*injection.probability <= 0 || *injection.probability > 1)
        throw RequestError(fmt::format("--inject {}: probability {} is not above 0 and at most 1, such as 0.01",
                                       quoted(text), quoted(probability)));
    return injection;
}

std::string fault_text(const Injection& injection) {
    const std::string_view name = info(injection.fault).name;
    return injection.probability ? fmt::format("{}:{}", name, *injection.probability) : std::string(name);
}

Settings settings_of(const Words& words) { return Reader(words).read(); }

std::string again(const Settings& s, std::string_view algorithm) {
    std::string text = fmt::format("kport run {} --on {} --ports {} --algorithm {}", name(s.collective.operation),
                                   s.topology().spec(), s.machine.ports.text(), algorithm);
    text += machine_options(s.machine);
    if (s.collective.root != 0) text += fmt::format(" --source {}", s.collective.root);
    if (s.collective.packet_bytes != Collective{}.packet_bytes)
        text += fmt::format(" --bytes {}", s.collective.packet_bytes);
    if (!s.collective.rules.all_law()) text += fmt::format(" --rules {}", kport::text(s.collective.rules));
    if (!s.payload) text += " --payload none";
    if (s.options.keep) text += fmt::format(" --keep {}", *s.options.keep == Keep::smaller ? "smaller" : "greater");
    if (!s.options.dimensions.empty()) text += fmt::format(" --dimensions {}", fmt::join(s.options.dimensions, ","));
    const Reduction& reduction = s.options.reduction;
    if (reduction.op != Operator::sum) text += fmt::format(" --op {}", name(reduction.op));
    if (reduction.type == ElementType::real) text += fmt::format(" --type {}", name(reduction.type));
    if (!reduction.values.empty())
        text += fmt::format(" --values {}", as_shell_word(fmt::format("{}", fmt::join(reduction.values, ","))));
    if (s.engine != EngineKind::lockstep) text += fmt::format(" --engine {}", name(s.engine));
    if (s.partition_nodes != partition_nodes_default) text += fmt::format(" --partition-nodes {}", s.partition_nodes);
    if (s.threads_given) text += fmt::format(" --threads {}", s.threads);
    if (s.seed != seed_default) text += fmt::format(" --seed {}", s.seed);
    if (s.per_round) text += " --per-round";
    if (s.injection) text += fmt::format(" --inject {}", fault_text(*s.injection));
    if (s.order) text += fmt::format(" --order {}", *s.order);
    if (s.max_rounds != 0) text += fmt::format(" --max-rounds {}", s.max_rounds);
    if (s.until != 0) text += fmt::format(" --until {}", s.until);
    return text;
}

}  // namespace kport::cli
