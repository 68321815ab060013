#include "app/session/options.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/machine/presets.hpp"
#include "emulator/schedule/participants.hpp"
#include "emulator/topology/broken.hpp"

namespace kport {

namespace {

// ---- members and their values --------------------------------------------------------------------------------------------

/// The member at the end of a path: member_at<&Experiment::machine, &Machine::links>(experiment).
template <auto... path, class Of>
auto& member_at(Of& experiment) {
    return (experiment.*....*path);
}

template <auto... path>
bool is_default(const Experiment& experiment) {
    static const Experiment plain;
    return member_at<path...>(experiment) == member_at<path...>(plain);
}

template <class Value>
std::string in_a_word(const Value& value) {
    return fmt::format("{}", value);
}
template <class Value>
std::string in_a_word(const std::optional<Value>& value) {
    return in_a_word(*value);
}

template <auto... path>
std::string text_of(const Experiment& experiment) {
    return is_default<path...>(experiment) ? "" : in_a_word(member_at<path...>(experiment));
}

template <class Value>
void put_number(Value& member, std::uint64_t number) {
    member = static_cast<Value>(number);
}
template <class Value>
void put_number(std::optional<Value>& member, std::uint64_t number) {
    member = static_cast<Value>(number);
}

/// A whole number from `least` to `most`.
template <std::uint64_t least, std::uint64_t most, auto... path>
constexpr OptionMember number(std::string_view in_errors = "", std::string_view in_names = "") {
    return {"", in_errors, in_names,
            [](Experiment& e, const TypedValue& value) {
                put_number(member_at<path...>(e), parse_count(value.text, value.option, least, most));
            },
            text_of<path...>};
}

/// A price, unless a preset gives it.
template <double Costs::*price>
void read_cost(Experiment& e, const TypedValue& value) {
    const double typed = parse_cost(value.text, value.option);
    Costs& costs = e.machine.costs;
    if (!costs.preset.empty() && costs.*price != typed)
        throw RequestError(fmt::format("{} {}: --prices {} gives {}; leave one of them out", value.option,
                                       quoted(value.text), costs.preset, costs.*price));
    costs.*price = typed;
}

template <double Costs::*price>
constexpr OptionMember cost(std::string_view in_errors) {
    return {"", in_errors, "", read_cost<price>, [](const Experiment& e) {
                return e.machine.costs.preset.empty() ? text_of<&Experiment::machine, &Machine::costs, price>(e) : "";
            }};
}

template <auto... path>
constexpr OptionMember flag(std::string_view in_names = "") {
    return {"", "", in_names, [](Experiment& e, const TypedValue&) { member_at<path...>(e) = true; }, text_of<path...>};
}

/// A word for a value.
template <class Value>
using Word = std::pair<std::string_view, Value>;

template <class Words>
const auto& value_named(const TypedValue& given, const Words& words) {
    std::vector<std::string_view> valid;
    for (const auto& [word, value] : words) {
        if (word == given.text) return value;
        valid.push_back(word);
    }
    throw RequestError(fmt::format("{} {} is unknown{} ({})", given.option, quoted(given.text),
                                   did_you_mean(given.text, valid), fmt::join(valid, ", ")));
}

/// One of two words.
template <const auto& words, auto... path>
constexpr OptionMember choice(std::string_view choices, std::string_view in_errors = "",
                              std::string_view in_names = "") {
    return {choices, in_errors, in_names,
            [](Experiment& e, const TypedValue& value) { member_at<path...>(e) = value_named(value, words); },
            [](const Experiment& e) {
                const std::size_t second = member_at<path...>(e) == words[1].second ? 1 : 0;
                return is_default<path...>(e) ? "" : std::string(words[second].first);
            }};
}

constexpr std::array of_duplex = {Word<Duplex>{"full", Duplex::full}, Word<Duplex>{"half", Duplex::half}};
constexpr std::array of_switching = {Word<Switching>{"sf", Switching::store_and_forward},
                                     Word<Switching>{"wh", Switching::wormhole}};
constexpr std::array of_combining = {Word<bool>{"on", true}, Word<bool>{"off", false}};
constexpr std::array of_noho = {Word<Noho>{"wide", Noho::wide}, Word<Noho>{"strict", Noho::strict}};
constexpr std::array of_routing = {Word<Routing>{"fixed", Routing::fixed},
                                   Word<Routing>{"adaptive", Routing::adaptive}};
constexpr std::array of_policy = {Word<Policy>{"queue", Policy::queue}, Word<Policy>{"strict", Policy::strict}};
constexpr std::array of_keep = {Word<Keep>{"smaller", Keep::smaller}, Word<Keep>{"greater", Keep::greater}};
constexpr std::array of_gather = {Word<GatherBy>{"bruck", GatherBy::bruck}, Word<GatherBy>{"ring", GatherBy::ring}};
constexpr std::array of_payload = {Word<bool>{"copy", true}, Word<bool>{"none", false}};
constexpr std::array of_engine = {Word<EngineKind>{"lockstep", EngineKind::lockstep},
                                  Word<EngineKind>{"free", EngineKind::free}};

// ---- values of their own kind --------------------------------------------------------------------------------------------

/// One limit of ports: `text` is all of the value or the part on one side of its colon.
Port limit_of_ports(const TypedValue& value, std::string_view text, std::uint64_t least) {
    if (text == "all") return no_port;
    const bool is_number = !text.empty() && ((text.front() >= '0' && text.front() <= '9') || text.front() == '-');
    const bool is_pair = text.size() != value.text.size();
    if ((!text.empty() && !is_number) || (text.empty() && is_pair))
        throw RequestError(
            fmt::format("{} {} is neither a number nor 'all'; want 1, 2, ... or all, or two of them "
                        "such as 1:2 for sends and receives",
                        value.option, quoted(is_pair ? value.text : text)));
    return static_cast<Port>(parse_count(text, value.option, least, no_port - 1));
}

void read_ports(Experiment& e, const TypedValue& value) {
    const std::size_t colon = value.text.find(':');
    if (colon == std::string_view::npos) {
        e.machine.ports = PortLimit(limit_of_ports(value, value.text, 1));
        return;
    }
    const Port sends = limit_of_ports(value, value.text.substr(0, colon), 0);
    e.machine.ports = PortLimit(sends, limit_of_ports(value, value.text.substr(colon + 1), 0));
}

/// One name, or the path of a file; or several names with commas between them.
void read_algorithm(Experiment& e, const TypedValue& given) {
    if (given.text.find(',') == std::string_view::npos || given.text.find('/') != std::string_view::npos) {
        e.algorithm = given.text;
        return;
    }
    for (const std::string_view name : split(given.text, ',')) {
        if (name.empty() || std::ranges::find(e.algorithms, name) != e.algorithms.end())
            throw RequestError(
                fmt::format("{} {}: want each name once, with a comma between two", given.option, quoted(given.text)));
        e.algorithms.emplace_back(name);
    }
}

/// The members that were named: as typed, or by their numbers.
std::string text_of_members(const Experiment& e) {
    const auto some = participants_of(e.collective, e.topology());
    if (!some) return "";
    return as_shell_word(e.members.empty() ? list_of_nodes(some->members) : e.members);
}
std::string text_of_relay(const Experiment& e) {
    const auto some = participants_of(e.collective, e.topology());
    const std::string relay = some ? relay_text(*some) : "";
    return relay == "members" ? "" : relay;
}

/// Its number, or its name where that number is the name of another node.
std::string text_of_root(const Experiment& e) {
    const NodeId root = e.topology().number(e.collective.root);
    if (e.collective.is_own()) return "";  // its promise says who owns what
    if (const auto some = participants_of(e.collective, e.topology()))
        return root == some->members.front() ? "" : fmt::format("={}", root);
    if (e.collective.rooted() ? root == 0 && !lacks_node_0(e.topology()) : e.collective.root == 0) return "";
    const std::string number = std::to_string(root);
    const std::string label = e.topology().label(e.collective.root);
    // A node that has its old number as name goes by that.
    const bool is_number =
        label.empty() || (as_broken(e.topology()) == nullptr && e.topology().node(number) == e.collective.root);
    return is_number ? number : as_shell_word(label);
}

std::string text_of_bytes(const Experiment& e) {
    const bool is_default =
        e.collective.signals() || e.collective.has_sizes() || e.collective.packet_bytes == Collective{}.packet_bytes;
    return is_default ? "" : std::to_string(e.collective.packet_bytes);
}

void read_packets(Experiment& e, const TypedValue& m) {
    // What fits into 64 bits is refused with all else, and with the reason.
    const std::uint64_t most = to_count(m.text) ? count_max : packets_each_max(e.collective, e.topology().nodes());
    e.collective.packets_each = parse_count(m.text, m.option, 1, most);
}

void read_dimensions(Experiment& e, const TypedValue& order) {
    for (const std::string_view part : split(order.text, ','))
        e.options.dimensions.push_back(static_cast<unsigned>(
            parse_count(part, fmt::format("{} {}: dimension", order.option, quoted(order.text)), 0, 63)));
}

void read_operator(Experiment& e, const TypedValue& op) {
    std::vector<Word<Operator>> words;
    for (const Operator& one : operators()) words.emplace_back(name(one), one);
    words.emplace_back("bxor", Operator::exclusive_or);  // as MPI calls it
    e.options.reduction.op = value_named(op, words);
    Reduction& reduction = e.options.reduction;
    reduction.type = reduction.op == Operator::concat ? ElementType::text : elements_of(reduction.op, reduction.type);
}

void read_type(Experiment& e, const TypedValue& type) {
    std::vector<Word<ElementType>> words;
    for (const ElementType& one : element_types()) words.emplace_back(name(one), one);
    e.options.reduction.type = elements_of(e.options.reduction.op, value_named(type, words));
}

std::string text_of_type(const Experiment& e) {
    const ElementType& type = e.options.reduction.type;
    return name(type) != name(ElementType::int64) && !type.is_text() && e.payload ? std::string(name(type)) : "";
}

void read_order(Experiment& e, const TypedValue& order) {
    if (order.text == "preorder")
        e.options.preorder = true;
    else
        e.order = parse_count(order.text, order.option);
}

std::string text_of_order(const Experiment& e) {
    return e.options.preorder ? "preorder" : text_of<&Experiment::order>(e);
}

// ---- the table -----------------------------------------------------------------------------------------------------------

/// The commands that run something once, or say what it costs.
constexpr std::string_view untimed = "run show compare bounds explain";
/// Those of them that run it.
constexpr std::string_view running = "run show compare";

constexpr OptionMember one_of(std::string_view choices) { return {.choices = choices}; }

constexpr OptionMember switch_limit_member = number<1, no_port - 1, &Experiment::machine, &Machine::switch_limit>();
constexpr OptionMember on_member = {
    .text = [](const Experiment& e) { return as_shell_word(whole_of(e.topology()).spec()); }};
constexpr OptionMember broken_member = {.text = [](const Experiment& e) {
    const std::vector<std::string> parts =
        e.unaware_of.empty() ? broken_in(e.topology()) : names_of(e.unaware_of, e.topology());
    return parts.empty() ? "" : as_shell_word(fmt::format("{}", fmt::join(parts, ",")));
}};
constexpr OptionMember unaware_member = {
    .in_errors = "unaware", .text = [](const Experiment& e) { return std::string(e.unaware_of.empty() ? "" : "yes"); }};
constexpr OptionMember ports_member = {
    .choices = "1 2 all", .read = read_ports, .text = [](const Experiment& e) { return e.machine.ports.text(); }};
constexpr OptionMember ports_by_member = {.read = [](Experiment& e, const TypedValue& name) {
    if (name.text.empty() || name.text.find_first_of("'\"\\") != std::string_view::npos)
        throw RequestError(fmt::format("{} {}: want the name of an attribute of nodes, without quotes", name.option,
                                       quoted(name.text)));
    e.machine.node_ports = std::make_shared<const NodePorts>(NodePorts{std::string(name.text), {}});
}};
/// As one types it in a shell; empty stays empty.
std::string word_or_none(std::string_view text) { return text.empty() ? std::string() : as_shell_word(text); }

constexpr OptionMember preset_member = {
    .choices = "alpha-beta: hockney: postal: logp: loggp:",
    .in_errors = "prices",
    .read = [](Experiment& e, const TypedValue& value) { e.machine.costs = preset_costs(value.text, value.option); },
    .text = [](const Experiment& e) { return word_or_none(e.machine.costs.preset); }};

PriceSources price_sources(const Experiment& e) {
    return e.machine.prices == nullptr ? PriceSources() : e.machine.prices->sources();
}
/// Where a price of links comes from: their attribute in the graph file, or 1/NAME.
template <std::string PriceSources::*by>
void read_price_by(Experiment& e, const TypedValue& value) {
    const std::string_view name = value.text.starts_with("1/") ? value.text.substr(2) : value.text;
    if (name.empty() || name.find_first_of("'\"\\") != std::string_view::npos)
        throw RequestError(fmt::format("{} {}: want the name of an attribute of links, or 1/NAME, without quotes",
                                       value.option, quoted(value.text)));
    PriceSources sources = price_sources(e);
    sources.*by = value.text;
    e.machine.prices = std::make_shared<const LinkPrices>(std::move(sources));
}
constexpr OptionMember slow_member = {
    .in_errors = "slow",
    .read =
        [](Experiment& e, const TypedValue& value) {
            PriceSources sources = price_sources(e);
            sources.slow = {std::string(value.text)};
            e.machine.prices = std::make_shared<const LinkPrices>(std::move(sources));
        },
    .text = [](const Experiment& e) { return word_or_none(fmt::format("{}", fmt::join(price_sources(e).slow, ","))); }};
constexpr OptionMember algorithm_member = {.read = read_algorithm,
                                           .text = [](const Experiment& e) { return as_shell_word(e.algorithm); }};
constexpr OptionMember with_member = {.read = [](Experiment& e, const TypedValue& files) {
    for (const std::string_view file : split(files.text, ' ')) e.besides.emplace_back(file);
}};
constexpr OptionMember source_member = {
    .in_errors = "root",
    .in_names = "source:{}",
    .read = [](Experiment& e, const TypedValue& node) { e.collective.root = e.topology().node(node.text); },
    .text = text_of_root};
constexpr OptionMember bytes_member = {
    .in_errors = "packet_bytes",
    .read = [](Experiment& e,
               const TypedValue& size) { e.collective.packet_bytes = parse_size(size.text, size.option); },
    .text = text_of_bytes};
constexpr OptionMember packets_member = {
    .in_errors = "packets_each", .in_names = "packets:{}", .read = read_packets, .text = [](const Experiment& e) {
        return asked_counts(e.collective) != nullptr && e.collective.sources == nullptr
                   ? std::string()
                   : text_of<&Experiment::collective, &Collective::packets_each>(e);
    }};
/// In full if they are few; else as typed, which draws or reads the same.
std::string text_of_numbers(const Counts& numbers, const std::string& typed) {
    constexpr std::size_t numbers_max = 64;
    const bool in_full = typed.empty() || numbers.numbers().size() <= numbers_max;
    return as_shell_word(in_full ? text(numbers) : typed);
}
std::string text_of_counts(const Experiment& e) {
    const auto counts = asked_counts(e.collective);
    const bool has_none = counts == nullptr || counts->bytes() != nullptr || e.collective.sources != nullptr;
    return has_none ? "" : text_of_numbers(*counts, e.counts);
}
std::string text_of_sizes(const Experiment& e) {
    const auto counts = asked_counts(e.collective);
    return counts == nullptr || counts->bytes() == nullptr || e.collective.is_own()
               ? ""
               : text_of_numbers(*counts->bytes(), e.sizes);
}
constexpr OptionMember sources_member = {.in_errors = "sources", .text = [](const Experiment& e) {
                                             if (e.collective.sources == nullptr) return std::string();
                                             std::vector<std::string> names;
                                             for (const NodeId v : named_numbers(e.topology(), *e.collective.sources))
                                                 names.push_back(fmt::to_string(v));
                                             return as_shell_word(fmt::format("{}", fmt::join(names, ",")));
                                         }};
constexpr OptionMember counts_member = {.in_errors = "counts",
                                        .read = [](Experiment& e, const TypedValue& given) { e.counts = given.text; },
                                        .text = text_of_counts};
constexpr OptionMember sizes_member = {.in_errors = "sizes",
                                       .read = [](Experiment& e, const TypedValue& given) { e.sizes = given.text; },
                                       .text = text_of_sizes};
constexpr OptionMember members_member = {.in_errors = "members",
                                         .read = [](Experiment& e, const TypedValue& given) { e.members = given.text; },
                                         .text = text_of_members};
constexpr OptionMember relay_member = {.choices = "members all",
                                       .in_errors = "relay",
                                       .read = [](Experiment& e, const TypedValue& given) { e.relay = given.text; },
                                       .text = text_of_relay};
/// Groups of nodes as the command line names them: those that run at once, or the phases of an algorithm.
std::string text_of_groups(const Experiment& e) {
    std::vector<std::string> groups;
    for (const std::vector<NodeId>& group : e.options.groups) groups.push_back(list_of_nodes(group));
    if (e.collective.groups != nullptr)
        for (const RankedNodes& group : *e.collective.groups) groups.push_back(list_of_nodes(group.nodes()));
    return groups.empty() ? "" : as_shell_word(fmt::format("{}", fmt::join(groups, "/")));
}
constexpr OptionMember groups_member = {.in_errors = "groups",
                                        .read = [](Experiment& e, const TypedValue& given) { e.groups = given.text; },
                                        .text = text_of_groups};
constexpr OptionMember intra_member = {
    .read = [](Experiment& e, const TypedValue& name) { e.options.intra = name.text; },
    .text = [](const Experiment& e) { return e.options.intra; }};
constexpr OptionMember inter_member = {
    .read = [](Experiment& e, const TypedValue& name) { e.options.inter = name.text; },
    .text = [](const Experiment& e) { return e.options.inter; }};
constexpr OptionMember permutation_member = {
    .in_errors = "permutation",
    .in_names = "{}",
    .read = [](Experiment& e,
               const TypedValue& given) { e.collective.permutation = permutation_or_file_named(given.text); },
    .text =
        [](const Experiment& e) {
            return e.collective.permutation == Permutation{} ? "" : as_shell_word(text(e.collective.permutation));
        }};
constexpr OptionMember rules_member = {
    .in_errors = "rules",
    .read = [](Experiment& e, const TypedValue& rules) { e.collective.rules = rules_named(rules.text); },
    .text = [](const Experiment& e) { return text(e.collective.rules); }};
constexpr OptionMember dimensions_member = {
    .in_errors = "dimensions", .in_names = "dimensions:{}", .read = read_dimensions, .text = [](const Experiment& e) {
        return fmt::format("{}", fmt::join(e.options.dimensions, ","));
    }};
constexpr OptionMember op_member = {.choices = "sum prod min max band bor xor bxor land lor lxor minloc maxloc concat",
                                    .in_errors = "op",
                                    .in_names = "{}",
                                    .read = read_operator,
                                    .text = [](const Experiment& e) {
                                        const Operator& op = e.options.reduction.op;
                                        return op == Operator::sum ? "" : std::string(name(op));
                                    }};
constexpr OptionMember type_member = {.choices = "int64 int32 uint64 double float float16 bfloat16 string",
                                      .in_names = "{}",
                                      .read = read_type,
                                      .text = text_of_type};
constexpr OptionMember values_member = {
    .in_errors = "values",
    .read =
        [](Experiment& e, const TypedValue& values) {
            for (const std::string_view value : split(values.text, ',')) e.options.reduction.values.emplace_back(value);
        },
    .text =
        [](const Experiment& e) {
            std::vector<std::string> values = e.options.reduction.values;
            if (e.collective.members != nullptr && !values.empty()) {  // by rank
                values.clear();
                for (const NodeId v : e.collective.members->nodes()) values.push_back(e.options.reduction.values[v]);
            }
            return values.empty() || !e.payload ? "" : as_shell_word(fmt::format("{}", fmt::join(values, ",")));
        }};
constexpr OptionMember inject_member = {
    .in_errors = "injection",
    .read = [](Experiment& e, const TypedValue& fault) { e.injection = injection_named(fault.text); },
    .text = [](const Experiment& e) { return e.injection ? text(*e.injection) : ""; }};
constexpr OptionMember threads_member = {
    .read = number<1, run_threads_max, &Experiment::threads>().read,
    .text = [](const Experiment& e) { return e.reproducible ? "" : text_of<&Experiment::threads>(e); }};
constexpr OptionMember reproducible_member = {.read = flag<&Experiment::reproducible>().read};
constexpr OptionMember order_member = {.in_errors = "order", .read = read_order, .text = text_of_order};

/// again() and names of benchmarks have them in this order.
constexpr std::array option_rows = {
    Option{OptionGroup::machine, "--on", "TOPOLOGY", "the graph: hypercube:10, a file (kport info --help)", "",
           on_member},
    Option{OptionGroup::machine,
           "--sweep",
           "TOPOLOGIES",
           "many: 'hypercube:{2..16}' 'mesh:{4,8}x{}' *.edges",
           "compare bench",
           {},
           OptionWords::many},
    Option{OptionGroup::machine, "--broken", "PARTS", "links A--B and nodes V that are broken, such as 0--1,5", "",
           broken_member, OptionWords::repeated},
    Option{OptionGroup::machine, "--unaware", "",
           "run: planned as if nothing were broken; messages are lost|"
           "tolerance: planned once; the smallest set that stops it",
           "run tolerance", unaware_member},
    Option{OptionGroup::machine, "--ports", "K", "1 (default), 2, 3, ... or all; S:R: sends, receives", "",
           ports_member},
    Option{OptionGroup::algorithm, "--algorithm", "NAME", "default: the best that applies; or a file, ./mine.cpp", "",
           algorithm_member},
    Option{OptionGroup::algorithm, "--with", "FILE.cpp", "your own algorithms beside the others: ./a.cpp ./b.cpp",
           "compare", with_member, OptionWords::many},
    Option{OptionGroup::machine, "--duplex", "MODE", "full (default): sends and receives apart; half: together", "",
           choice<of_duplex, &Experiment::machine, &Machine::duplex>("full half", "", "{}-duplex")},
    Option{OptionGroup::machine, "--links", "MODE",
           "full (default): both directions at once; half: one|tolerance: or F: broken links of a set, 1 (default); "
           "2,half: both",
           "", choice<of_duplex, &Experiment::machine, &Machine::links>("full half", "", "{}-duplex-links")},
    Option{OptionGroup::machine, "--pairwise", "", "a node has at most one partner a round", "",
           flag<&Experiment::machine, &Machine::pairwise>("pairwise")},
    Option{OptionGroup::machine, "--noho", "MODE", "wide (default); strict: may hear back in the same round", "",
           choice<of_noho, &Experiment::machine, &Machine::noho>("wide strict", "", "{}-noho")},
    Option{OptionGroup::machine, "--switching", "MODE", "sf (default): store-and-forward; wh: wormhole", "",
           choice<of_switching, &Experiment::machine, &Machine::switching>("sf wh", "", "wormhole")},
    Option{OptionGroup::machine, "--switch-limit", "C", "the most messages that pass a switch a round", "",
           switch_limit_member},
    Option{OptionGroup::machine, "--routing", "MODE", "fixed (default); adaptive: the first route that is free", "",
           choice<of_routing, &Experiment::machine, &Machine::routing>("fixed adaptive", "routing", "{}-routing")},
    Option{OptionGroup::machine, "--combining", "MODE", "on (default): a message may hold many packets; off: one", "",
           choice<of_combining, &Experiment::machine, &Machine::combining>("on off", "", "noncombining")},
    Option{OptionGroup::machine, "--policy", "MODE", "queue (default): sends beyond K wait; strict: violation", "",
           choice<of_policy, &Experiment::machine, &Machine::policy>("queue strict", "", "{}")},
    Option{OptionGroup::prices, "--prices", "MODEL:X,..", "of a model: hockney:A,B, postal:LAMBDA, logp:L,o,g", untimed,
           preset_member},
    Option{OptionGroup::prices, "--ts", "X", "1 (default): cost of a startup", untimed, cost<&Costs::startup>("ts")},
    Option{OptionGroup::prices, "--td", "X", "0 (default): cost of a hop", untimed, cost<&Costs::hop>("td")},
    Option{OptionGroup::prices, "--tm", "X", "0.001 (default): cost of a byte", untimed, cost<&Costs::byte>("tm")},
    Option{OptionGroup::prices, "--slow", "PARTS", "links A--B=F, nodes V=F: links F times as dear", untimed,
           slow_member, OptionWords::repeated},
    Option{OptionGroup::payload, "--source", "NODE",
           "0 (default); number, i,j,... or name|search: several, 0,5|compare: several, 0,5; all", "", source_member,
           OptionWords::one, "--root"},
    Option{OptionGroup::payload, "--bytes", "SIZE", "64 (default): of one packet; suffixes B KiB MiB GiB", "",
           bytes_member},
    Option{OptionGroup::payload, "--packets", "M", "1 (default): packets of each, or segments of a reduction",
           "run show compare bounds explain bench search tolerance", packets_member},
    Option{OptionGroup::payload, "--sources", "NODES", "broadcast: each with packets of its own; 0,3,5-9",
           "run show compare bounds explain", sources_member},
    Option{OptionGroup::payload, "--counts", "COUNTS", "packets of each node, 3,0,5; rows 0,2/1,0; a file",
           "run show compare bounds explain", counts_member},
    Option{OptionGroup::payload, "--sizes", "SIZES", "bytes of a packet each, as counts; 0: none",
           "run show compare bounds explain", sizes_member},
    Option{OptionGroup::payload, "--members", "NODES", "only these own and want, by rank: 0,3,5-9",
           "run show compare bounds explain check", members_member},
    Option{OptionGroup::payload, "--relay", "WHO", "who passes packets on: members (default), all, NODES",
           "run show compare bounds explain", relay_member},
    Option{OptionGroup::payload, "--groups", "GROUPS", "each has its own operation: 0-3/4-7, dim:0, bits:0,1",
           "run show compare bounds explain", groups_member},
    Option{OptionGroup::algorithm, "--intra", "NAME", "hierarchical: the algorithm in each of --groups",
           "run show compare explain", intra_member},
    Option{OptionGroup::algorithm, "--inter", "NAME", "hierarchical: the algorithm among their leaders",
           "run show compare explain", inter_member},
    Option{
        OptionGroup::payload,
        "--promise",
        "FILE",
        "promise: who owns and wants which packets|check: or all-held: messages that do not say it carry all that is "
        "held",
        "check convert bounds run show compare explain search",
        {.text = [](const Experiment& e) { return e.collective.is_own() ? e.collective.own()->file : std::string(); }}},
    Option{OptionGroup::payload, "--permutation", "PI", "shift:Q move:Q list:T,.. file:F transpose bit-reversal", "",
           permutation_member},
    Option{OptionGroup::machine, "--rules", "RULES", "nodup=count,agree=law: law, count or off", running, rules_member},
    Option{OptionGroup::payload, "--payload", "MODE", "copy (default): bytes move; none: sizes are counted",
           "run show compare explain", choice<of_payload, &Experiment::payload>("copy none")},
    Option{OptionGroup::algorithm, "--keep", "PART", "rda-product: the part that stays: smaller or greater", "",
           choice<of_keep, &Experiment::options, &AlgorithmOptions::keep>("smaller greater", "keep", "keep-{}")},
    Option{OptionGroup::algorithm, "--dimensions", "I,J,...", "rda-product: order of the dimensions, such as 1,0", "",
           dimensions_member},
    Option{OptionGroup::algorithm, "--arity", "A", "tree: 2 (default): children of a node", "",
           number<1, nodes_max, &Experiment::options, &AlgorithmOptions::arity>("arity", "arity:{}")},
    Option{OptionGroup::algorithm, "--gather", "HOW", "scatter-allgather: bruck (default) or ring", "",
           choice<of_gather, &Experiment::options, &AlgorithmOptions::gather>("bruck ring", "gather", "gather-{}")},
    Option{OptionGroup::algorithm, "--aggregate", "A", "pat: most blocks in a message, a power of two", "",
           number<1, count_max, &Experiment::options, &AlgorithmOptions::aggregate>("aggregate", "aggregate:{}")},
    Option{OptionGroup::algorithm, "--ports-at-most", "K", "the algorithm uses at most K ports of a node at a time", "",
           number<1, no_port - 1, &Experiment::options, &AlgorithmOptions::ports_at_most>("ports_at_most",
                                                                                          "ports-at-most:{}")},
    Option{OptionGroup::algorithm, "--mode", "MODE",
           "allgather: kport (default): k sends and k receives; telephone: one partner; telegraph: one send or receive",
           "search", one_of("kport telephone telegraph")},
    Option{OptionGroup::algorithm, "--least", "WHAT", "rounds (default), rounds,volume, rounds,work, front, or work",
           "search", one_of("rounds rounds,volume rounds,work front work")},
    Option{OptionGroup::algorithm, "--operation", "NAME",
           "stress: default all (kport list operations)|convert: what the schedule does", "stress convert"},
    Option{OptionGroup::payload, "--op", "OP", "reductions: sum (default), prod, min, maxloc, bor, ...", "", op_member},
    Option{OptionGroup::payload, "--type", "TYPE", "reductions: int64 (default), int32, double, float16, ...", "",
           type_member},
    Option{OptionGroup::payload, "--values", "X,Y,...", "reductions: of each node; default: drawn by the seed", "",
           values_member},
    Option{OptionGroup::payload,
           "--message",
           "SIZES",
           "predicts the best algorithm and cut of such messages|explain: one size such as 1MiB",
           "compare explain",
           {.in_errors = "message"}},
    Option{OptionGroup::prices,
           "--calibrated",
           "FILE",
           "predicts the time, at prices of bench --calibrate",
           "run",
           {},
           OptionWords::at_most_one},
    Option{OptionGroup::prices,
           "--calibrate",
           "FILE",
           "stores ts, td, tm of this chip (in ~/.cache/kport)",
           "bench",
           {},
           OptionWords::at_most_one},
    Option{OptionGroup::run, "--engine", "NAME", "lockstep (default); free: no barriers, at full speed", "",
           choice<of_engine, &Experiment::engine>("lockstep free")},
    Option{OptionGroup::run, "--partition-nodes", "N", "lockstep: nodes of a work unit; 4096 (default)", "run",
           number<1, nodes_max, &Experiment::partition_nodes>("partition_nodes")},
    Option{OptionGroup::run, "--threads", "N", "all cores (default)", "", threads_member},
    Option{OptionGroup::run, "--seed", "S", "1 (default): of all random choices", "",
           number<0, count_max, &Experiment::seed>()},
    Option{OptionGroup::output, "--per-round", "", "adds the table of rounds", "run compare",
           flag<&Experiment::per_round>()},
    Option{OptionGroup::output, "--hotspots", "", "adds the busiest link and node, and why the end is late",
           "run check"},
    Option{OptionGroup::run, "--inject", "FAULT", "a fault: drop, corrupt:0.01, ... (kport list faults)",
           "run show stress", inject_member},
    Option{OptionGroup::run, "--order", "S", "a random order of the nodes; scan tree: preorder", untimed, order_member},
    Option{OptionGroup::run, "--max-rounds", "N", "4 million, or 64 a node if that is more (default)", running,
           number<1, max_rounds_max, &Experiment::max_rounds>()},
    Option{OptionGroup::run, "--until", "ROUND", "ends the run after this round, before a verdict", "run show",
           number<1, ~Round{0}, &Experiment::until>("until")},
    Option{
        OptionGroup::run, "--for", "TIME",
        "stress: 10s (default, unless --cases is given)|search: 60s (default)|tolerance: as long as it takes (default)|"
        "bench: for a cell in each start|lab: the most that a request takes; 60s (default)|"
        "suffixes ms s m h",
        "stress bench search tolerance lab"},
    Option{OptionGroup::run, "--port", "N", "of 127.0.0.1; one that is free (default)", "lab"},
    Option{OptionGroup::run, "--no-open", "", "prints the address, and opens no browser", "lab"},
    Option{OptionGroup::run, "--try", "", "runs the catalogue's algorithms against the exercise: who gets full points",
           "grade"},
    Option{OptionGroup::run, "--machine", "N", "grades on this machine of the exercise only, 1 the first", "grade"},
    Option{OptionGroup::run, "--already-contained", "",
           "programs run without bubblewrap: the container around does nothing else", "grade"},
    Option{OptionGroup::run, "--cases", "N", "ends after so many cases", "stress"},
    Option{OptionGroup::run, "--case", "N", "tries this case of the seed alone, such as one that failed", "stress"},
    Option{OptionGroup::run, "--nodes", "N",
           "stress: 64 (default): the most nodes of a machine that is drawn|tolerance: broken nodes of a set",
           "stress tolerance"},
    Option{
        OptionGroup::run, "--sample", "N", "so many random sets instead of all", "tolerance", {.in_errors = "sample"}},
    Option{OptionGroup::run, "--replay", "", "the recorded schedule moves the bytes, without programs", "bench"},
    Option{OptionGroup::run, "--repetitions", "N", "of each start; default: a second a cell, at least 10", "bench"},
    Option{OptionGroup::run, "--starts", "N", "processes, one by one: 6 (default), 1 with --repetitions", "bench"},
    Option{OptionGroup::output, "--json", "", "the report as JSON",
           "run compare bench stress search tolerance bounds check list info explain chip grade"},
    Option{OptionGroup::output, "--reproducible", "", "leaves out times, memory and threads",
           "run compare check search", reproducible_member},
    Option{OptionGroup::output, "--csv", "", "a line for each machine and algorithm, file, or hand-in",
           "compare bench check grade"},
    Option{OptionGroup::output, "--repair", "",
           "below the report: the least change found that makes an MSCCL or GOAL file lawful, as a patch", "check"},
    Option{OptionGroup::output, "--feedback", "FOLDER", "writes a page for each hand-in, with a picture of what failed",
           "grade"},
    Option{OptionGroup::output, "--gradescope", "FILE", "writes results.json for Gradescope: of one hand-in", "grade"},
    Option{OptionGroup::output, "--record", "FILE", "the schedule: JSON, or x.txt, x.csv, x.goal, x.xml", "run search"},
    Option{OptionGroup::output, "--proof", "FILE",
           "writes why there is no schedule of one round fewer: DRAT, of the formula in FILE.cnf", "search"},
    Option{OptionGroup::output, "--trace", "FILE.json", "rounds and threads, for ui.perfetto.dev", "run"},
    Option{OptionGroup::output,
           "--picture",
           "FILE",
           "below the report, or into x.svg, x.png, x.html, x.dot",
           "run info",
           {},
           OptionWords::at_most_one},
    Option{
        OptionGroup::output, "--as", "KIND", "text (default), svg, html, dot, json, ... (see below)", "show",
        one_of(
            "text svg overview animation space-time load holdings critical-path bounds png webp dot json trace html")},
    Option{OptionGroup::output, "--output", "FILE", "where to write; default: standard output", "show"},
    Option{OptionGroup::output, "--width", "PIXELS", "of a PNG or WebP; default: twice that of the SVG", "show"},
    Option{OptionGroup::output, "--rounds", "A-B", "shows these rounds alone: 2-4, 3 or 5-", "show"},
    Option{OptionGroup::output, "--shape", "SHAPE", "of svg: page (default, upright) or slide (16:9)", "show"},
    Option{OptionGroup::output, "--plot", "FILE.svg",
           "bench: draws what was measured, the fit, and the lower bound|"
           "compare: draws latency, or --plot-of, over what varies|"
           "explain: draws what is predicted over the packets of --message",
           "bench compare explain"},
    Option{OptionGroup::output, "--plot-of", "QUANTITY", "rounds, work, path_sum, volume or latency (default)",
           "compare", one_of("rounds work path_sum volume latency")},
    Option{OptionGroup::output, "--plot-over", "OPTION", "the axis, where several vary: bytes, ports, ...", "compare",
           one_of("topology bytes packets ts td tm source ports switching combining keep duplex links noho policy")},
    Option{OptionGroup::output, "--plot-as", "FORM", "curves (default), matrix: run over bound, map: by source",
           "compare", one_of("curves matrix map")},
    Option{OptionGroup::output, "--to", "FORMAT", "default: as the file's ending says (kport list formats)", "convert",
           one_of("edges graphml gml dot node-link metis mm graph6 json text csv goal msccl mscclpp simgrid")},
    Option{
        OptionGroup::graph, "--format", "NAME", "of the file; default: as its content says (kport list formats)", "",
        one_of("edges adjlist matrix graphml gexf gml dot node-link pajek dimacs konect metis mm graph6 sparse6 lgl")},
    Option{OptionGroup::graph, "--undirected", "", "takes each arc as a link, opposite arcs as one"},
    Option{OptionGroup::graph, "--trunks", "", "takes parallel links as one link of their capacity"},
    Option{OptionGroup::graph, "--capacity-by", "NAME", "capacity of links, 1 or more: this attribute of links"},
    Option{OptionGroup::graph, "--simplify", "",
           "takes parallel links as one link|convert: also leaves out what the format cannot hold"},
    Option{OptionGroup::graph, "--largest", "", "keeps only the largest connected part"},
    Option{OptionGroup::graph, "--header", "MODE", "yes, no: whether a list of links begins with a header", "",
           one_of("yes no")},
    Option{OptionGroup::graph, "--separator", "SIGN", "of a list of links: comma, semicolon, tab or blanks", "",
           one_of("comma semicolon tab blanks")},
    Option{OptionGroup::graph, "--ports-by", "NAME", "ports of each node, K or S:R: this attribute of nodes", "",
           ports_by_member},
    Option{OptionGroup::graph,
           "--td-by",
           "NAME",
           "factors on td: this attribute of links; 1/NAME: its reciprocals",
           "",
           {.read = read_price_by<&PriceSources::hop_by>}},
    Option{OptionGroup::graph,
           "--tm-by",
           "NAME",
           "factors on tm: this attribute of links; 1/NAME: its reciprocals",
           "",
           {.read = read_price_by<&PriceSources::byte_by>}},
    Option{OptionGroup::graph, "--switches", "NODES", "A,B,...; inner: nodes of several links; @ATTRIBUTE=VALUE"},
};

}  // namespace

std::string_view name(OptionGroup group) {
    constexpr std::array<std::string_view, 7> names = {"Machine", "Graph files", "Algorithm", "Payload",
                                                       "Prices",  "Run",         "Output"};
    return names.at(static_cast<std::size_t>(group));
}

std::span<const Option> all_options() {
    static const auto by_group = [] {
        auto rows = option_rows;
        std::ranges::stable_sort(rows, {}, &Option::group);
        return rows;
    }();
    return by_group;
}

std::string particulars(const Experiment& experiment) {
    std::string words;
    for (const Option& option : option_rows)
        if (!option.member.in_names.empty())
            if (const std::string value = option.member.text(experiment); !value.empty())
                words += "/" + fmt::format(fmt::runtime(option.member.in_names), value);
    return words;
}

std::string again(const Experiment& experiment, std::string_view algorithm) {
    const bool is_of_program = experiment.collective.is_own() && experiment.collective.own()->file.empty();
    if (is_of_program || (experiment.collective.folds() && experiment.options.reduction.op.is_own())) return "";
    Experiment named = experiment;
    named.algorithm = algorithm;
    std::string command = fmt::format("kport run {}", named.collective.asked_name());
    for (const auto& [group, option, word, about, only, member, words, alias] : option_rows) {
        const std::string value = member.text == nullptr ? "" : member.text(named);
        if (!value.empty()) command += word.empty() ? fmt::format(" {}", option) : fmt::format(" {} {}", option, value);
        if (option == "--on") command += named.graph_words;
    }
    return command;
}

}  // namespace kport
