#include "app/files/json_report.hpp"

#include <cmath>
#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include <boost/algorithm/string/case_conv.hpp>

#include "emulator/audit/violation.hpp"
#include "emulator/machine/presets.hpp"
#include "emulator/report/report.hpp"
#include "emulator/schedule/participants.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/renumbered.hpp"

namespace kport {

namespace {

/// Writes counts as integers, everything else unchanged.
Json count(double value) {
    constexpr double exact_below = 9007199254740992.0;  // 2^53
    if (value >= 0 && value < exact_below && value == std::floor(value)) return static_cast<std::uint64_t>(value);
    return value;
}

Json count_or_null(const std::optional<double>& value) { return value ? count(*value) : Json(nullptr); }

template <class T>
Json value_or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// Writes an object with a value for each quantity, computed from its row.
template <class Said>
Json of_each(const Said& said) {
    Json json;
    for (const QuantityRow& row : quantity_rows) json[row.key] = said(row);
    return json;
}

Json told(const Violation& v, const Topology& topology, std::string text) {
    Json violation = {{"rule", name(v.rule())},
                      {"round", v.round},
                      {"node", v.node == no_node ? Json(nullptr) : Json(topology.number(v.node))},
                      {"port", v.port == no_port ? Json(nullptr) : Json(v.port)},
                      {"packet", v.packet}};
    if (v.segment != Violation::no_segment) violation["segment"] = v.segment;
    violation["text"] = std::move(text);
    return violation;
}

Json violations_of(const Report& report) {
    Json list = Json::array();
    for (const Violation& v : report.verdict.violations)
        list.push_back(told(v, *report.machine.topology, sentence(v, *report.machine.topology)));
    return list;
}

Json faults_of(const Report& report) {
    Json list = Json::array();
    for (const Injected& fault : report.faults) {
        const Found told = found(report, fault);
        list.push_back({{"fault", info(fault.fault).name},
                        {"what", fault.what},
                        {"breaks", fault.rule ? Json(name(*fault.rule)) : Json(nullptr)},
                        {"certain", fault.certain},
                        {"found", static_cast<bool>(told)},
                        {"finding", name(told.finding)}});
    }
    return list;
}

Json rounds_of(const Report& report) {
    Json list = Json::array();
    std::uint64_t reached = reached_before(report.collective.operation);
    for (const RoundMetrics& round : report.verdict.per_round) {
        reached += round.reached;
        list.push_back({{"round", round.round},
                        {"transfers", round.transfers},
                        {"longest_path", round.longest_path},
                        {"largest_bundle", round.largest_bundle},
                        {"bytes", round.bytes},
                        {"reached", reached}});
    }
    return list;
}

/// nlohmann::json 3.11 allocates in its destructor, and terminates on failure. So the memory of a report, with some
/// margin, is allocated and freed before the report is made. Throws std::bad_alloc.
void ask_for_memory(const Report& report) {
    constexpr std::size_t bytes_base = std::size_t{1} << 18;
    constexpr std::size_t bytes_round = 1600;
    constexpr std::size_t bytes_row = 200;
    std::size_t rows = 0;
    if (report.hotspots)
        rows = report.hotspots->load.channels.size() + report.hotspots->load.nodes.size() +
               8 * report.hotspots->path.messages.size();
    ::operator delete(::operator new(bytes_base + report.verdict.per_round.size() * bytes_round + rows * bytes_row));
}

}  // namespace

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

namespace {

/// A list, of pairs a list of rows.
Json counts_in_json(const Counts& counts) {
    if (!counts.of_pairs()) return counts.numbers();
    Json rows = Json::array();
    for (NodeId u = 0; u < counts.nodes(); ++u) {
        Json& row = rows.emplace_back(Json::array());
        for (NodeId v = 0; v < counts.nodes(); ++v) row.push_back(counts.of(u, v));
    }
    return rows;
}

}  // namespace

void put_operation(Json& json, const Collective& collective, const Topology& topology) {
    json["operation"] = collective.asked_name();
    if (const OwnCollective* const own = collective.own(); own != nullptr && !own->file.empty())
        json["promise"] = {{"name", own->title}, {"file", own->file}};
    if (collective.sources != nullptr) json["sources"] = named_numbers(topology, *collective.sources);
    if (const std::optional<Participants> some = participants_of(collective, topology)) {
        json["members"] = some->members;
        json["relay"] = some->relays.empty() ? Json(relay_text(*some)) : Json(some->relays);
    }
    if (collective.groups != nullptr) {
        json["groups"] = Json::array();
        for (const RankedNodes& group : *collective.groups)
            json["groups"].push_back(named_numbers(topology, group.nodes()));
    }
    if (collective.operation == Operation::permutation) json["permutation"] = text(collective.permutation);
    if (const auto counts = asked_counts(collective); counts != nullptr && collective.sources == nullptr)
        json[counts->bytes() != nullptr ? "sizes" : "counts"] =
            counts_in_json(counts->bytes() != nullptr ? *counts->bytes() : *counts);
}

void put_machine(Json& json, const Machine& machine, const std::optional<NodeId>& root, std::uint64_t packet_bytes,
                 std::uint64_t packets_each) {
    const Topology& topology = named_machine(*machine.topology);
    const Fabric* fabric = topology.fabric();
    json["topology"] = {{"spec", topology.spec()},
                        {"nodes", topology.wires().nodes()},
                        {"hosts", topology.nodes()},
                        {"channels", fabric == nullptr ? topology.channels() : fabric->capacities()}};
    if (is_recognized(*machine.topology)) json["topology"]["family"] = machine.topology->spec();
    json["machine"] = {{"ports", machine.ports.text()},  {"duplex", text(machine.duplex)},
                       {"links", text(machine.links)},   {"pairwise", machine.pairwise},
                       {"noho", text(machine.noho)},     {"switching", text(machine.switching)},
                       {"combining", machine.combining}, {"policy", text(machine.policy)}};
    if (machine.switch_limit != no_port) json["machine"]["switch_limit"] = machine.switch_limit;
    if (machine.has_paths()) json["machine"]["routing"] = text(machine.routing);
    if (const std::vector<std::string> broken = broken_in(topology); !broken.empty())
        json["machine"]["broken"] = broken;
    if (machine.node_ports != nullptr) json["machine"]["ports_by"] = machine.node_ports->attribute;
    json["source"] = root ? Json(machine.topology->number(*root)) : Json(nullptr);
    json["packet_bytes"] = packet_bytes;
    json["packets"] = packets_each;
    json["costs"] = {{"ts", machine.costs.startup}, {"td", machine.costs.hop}, {"tm", machine.costs.byte}};
    if (!machine.costs.preset.empty()) json["costs"]["preset"] = machine.costs.preset;
    if (overlaps_sends(machine.costs)) json["costs"]["note"] = note_of_overlap;
    if (machine.prices == nullptr) return;
    const PriceSources& sources = machine.prices->sources();
    if (!sources.hop_by.empty()) json["costs"]["td_by"] = sources.hop_by;
    if (!sources.byte_by.empty()) json["costs"]["tm_by"] = sources.byte_by;
    if (!sources.slow.empty()) json["machine"]["slow"] = sources.slow;
}

void put_bounds(Json& json, const BoundLines& b) {
    const auto figure = [](const QuantityRow& row, const std::optional<double>& value) {
        return row.count != nullptr ? count_or_null(value) : value_or_null(value);
    };
    json["bounds"] = of_each([&](const QuantityRow& row) { return figure(row, b[row.quantity].value); });
    json["best_possible"] = of_each([&](const QuantityRow& row) { return figure(row, b[row.quantity].least); });
    json["binding"] = of_each([&](const QuantityRow& row) { return text_or_null(b[row.quantity].binding); });
}

/// Adds the rules that are not enforced; whether they were kept is not reported.
void put_forces(Json& json, const Report& report) {
    json["rules"] = text(report.verdict.judged_by);
    if (report.verdict.judged_by.nodup != Force::law) json["checks"]["nodup"] = nullptr;
    if (report.verdict.judged_by.noho != Force::law) json["checks"]["noho"] = nullptr;
    json["counted"] = Json::object();
    for (const Counted& counted : report.verdict.counted) {
        const auto first = [&] {
            const Topology& topology = *report.machine.topology;
            return told(*counted.first, topology, sentence_of_first(counted, topology));
        };
        json["counted"][std::string(name(counted.rule))] = {{"count", counted.count},
                                                            {"first", counted.first ? first() : Json(nullptr)}};
    }
}

/// Adds what the reader of a schedule found. Names of faults are keys of "checks", in lower case.
void put_judgement(Json& json, const ForeignJudgement& judgement) {
    json["judged"] = judgement.judged;
    json["not_judged"] = Json::array();
    for (const NotJudged& part : judgement.not_judged) {
        json["not_judged"].push_back({{"what", part.what}, {"why", part.why}});
        if (part.what == "delivery") json["checks"]["delivered"] = nullptr;
    }
    json["findings"] = Json::array();
    for (const FoundFault& found : judgement.findings) {
        json["findings"].push_back({{"fault", name(found.fault)}, {"text", found.text}});
        json["checks"][boost::algorithm::to_lower_copy(std::string(name(found.fault)))] = false;
        if (found.fault == ScheduleFault::delivery) json["checks"]["delivered"] = false;
    }
}

/// What carried the run out.
void put_engine(Json& json, const Report& report) {
    const auto put_measured = [&](Json& into, const char* key, const auto& value) {
        if (!report.reproducible) into[key] = value;
    };
    json["name"] = engine_name(report);
    put_measured(json, "threads", report.threads);
    json["transfers"] = report.verdict.metrics.transfers;
    put_measured(json, "wall_seconds", report.wall_seconds);
    json["bytes_moved"] = bytes_moved(report);
    put_measured(json, "peak_rss_bytes", report.peak_rss_bytes);
    for (const RankFacts& rank : report.ranks) {
        Json& facts = json["ranks"].emplace_back(Json{{"messages", rank.messages}, {"remote", rank.remote}});
        put_measured(facts, "exchange_seconds", rank.exchange_seconds);
        put_measured(facts, "peak_rss_bytes", rank.peak_bytes);
    }
    if (report.engine == EngineKind::free) put_measured(json, "moving_seconds", report.moving_seconds);
    if (report.needs_rounds == NeedsRounds::no) return;
    json["only_rounds_tell"] = true;
    json["in_lockstep_because"] = text(report.needs_rounds);
}

/// Adds whether all holders of a result hold the same bits; null where nothing is folded, or nothing was compared.
void put_agreement(Json& json, const Report& report) {
    json["agreement"] = nullptr;
    const bool has_results = report.agreement && report.agreement->different != 0;
    if (report.collective.rules.agree == Force::off || !(has_results || report.brackets)) return;
    const auto of = [](const std::optional<Agreement>& facts, auto Agreement::*fact) {
        return facts ? Json((*facts).*fact) : Json(nullptr);
    };
    const auto results = has_results ? report.agreement : std::nullopt;
    Json& agreement = json["agreement"] = Json::object();
    const bool is_known = results || is_exact(report) || report.brackets->different == 1;
    agreement["agree"] = is_known ? Json(!results || results->different == 1) : Json(nullptr);
    agreement["class"] = text_or_null(report.agreement_class);
    agreement["different_results"] = of(results, &Agreement::different);
    agreement["different_brackets"] = of(report.brackets, &Agreement::different);
    agreement["segments_that_differ"] = of(results, &Agreement::segments_that_differ);
    agreement["largest_ulps"] = results ? value_or_null(results->largest_ulps) : Json(nullptr);
    agreement["depth"] = of(report.brackets, &Agreement::height);
    agreement["brackets_of_segments"] = of(report.brackets, &Agreement::different_at_a_node);
    if (!results || results->bits.empty()) return;
    for (const std::vector<std::string>& node : results->bits)
        json["result_bits"].push_back(node.empty() ? Json(nullptr) : Json(node));
}

Json measured_in_json(const Metrics& m) {
    return of_each(
        [&](const QuantityRow& row) { return row.count != nullptr ? Json(m.*row.count) : Json(m.*row.time); });
}

namespace {

/// Lists as columns: a number a node or channel, not an object.
template <class Rows, class Of>
Json column(const Rows& rows, const Of& of) {
    Json numbers = Json::array();
    for (const auto& row : rows) numbers.push_back(of(row));
    return numbers;
}

Json load_in_json(const Load& load, const Topology& topology) {
    const Topology& wires = topology.wires();
    const ChannelLoad* const channel = load.busiest_channel();
    const NodeLoad* const node = load.busiest_node();
    Json json;
    json["messages"] = load.messages;
    json["bytes"] = load.bytes;
    json["busiest_link"] = nullptr;
    if (channel != nullptr)
        json["busiest_link"] = {{"from", wires.number(channel->from)},
                                {"to", wires.number(channel->to)},
                                {"port", channel->port},
                                {"messages", channel->messages},
                                {"bytes", channel->bytes}};
    json["busiest_node"] = nullptr;
    if (node != nullptr)
        json["busiest_node"] = {{"node", wires.number(node->node)},
                                {"sent", node->sent},
                                {"received", node->received},
                                {"passed_on", node->passed_on}};
    const auto number = [&](auto member) {
        return [&wires, member](const auto& row) { return wires.number(row.*member); };
    };
    const auto plain = [](auto member) { return [member](const auto& row) { return row.*member; }; };
    json["links"] = {{"from", column(load.channels, number(&ChannelLoad::from))},
                     {"to", column(load.channels, number(&ChannelLoad::to))},
                     {"port", column(load.channels, plain(&ChannelLoad::port))},
                     {"messages", column(load.channels, plain(&ChannelLoad::messages))},
                     {"bytes", column(load.channels, plain(&ChannelLoad::bytes))}};
    json["nodes"] = {{"node", column(load.nodes, number(&NodeLoad::node))},
                     {"sent", column(load.nodes, plain(&NodeLoad::sent))},
                     {"received", column(load.nodes, plain(&NodeLoad::received))},
                     {"passed_on", column(load.nodes, plain(&NodeLoad::passed_on))}};
    return json;
}

/// Adds "load" and "critical_path".
void put_hotspots(Json& json, const Hotspots& hotspots, const Topology& topology) {
    json["load"] = load_in_json(hotspots.load, topology);
    Json& path = json["critical_path"];
    path = {{"latency", hotspots.path.latency}, {"other_rounds", hotspots.path.other_rounds}};
    path["messages"] = Json::array();
    for (const CriticalMessage& message : hotspots.path.messages)
        path["messages"].push_back({{"round", message.round},
                                    {"from", topology.number(message.from)},
                                    {"to", topology.number(message.to)},
                                    {"waits_for", name(message.delay)}});
}

}  // namespace

void put_run(Json& json, const Report& report) {
    const Verdict& v = report.verdict;
    const Metrics& m = v.metrics;
    json["algorithm"] = report.algorithm;
    if (report.checked) {
        json["form"] = report.rule;
        json["remarks"] = report.remarks;
    }
    json["measured"] = measured_in_json(m);
    if (rounds_judged(report) != m.rounds) json["informed_after"] = rounds_judged(report);
    json["optimal"] = of_each([&](const QuantityRow& row) { return value_or_null(optimal(report, row.quantity)); });
    json["checks"]["delivered"] = v.delivered;  // for a stopped run, too
    for (const RuleRow& rule : rule_rows)
        if (rule.rule != Rule::delivery && (rule.rule != Rule::agree || v.judged_by.agree == Force::law) &&
            (rule.rule != Rule::broken || !report.unaware_of.empty()) &&
            (rule.rule != Rule::relay || (report.collective.is_own() && report.collective.own()->passes_on != nullptr)))
            json["checks"][rule.check] = v.kept(rule.rule);
    if (v.judged_by != Rules{}) put_forces(json, report);
    if (report.checked) put_judgement(json, report.judgement);
    json["lawful"] = v.lawful() && report.judgement.findings.empty() && report.judgement.not_judged.empty();
    json["verdict"] = verdict_text(report, Digits::plain).text;
    for (const Report& phase : report.phases) {
        Json& part = json["phases"].emplace_back(Json::object());
        put_operation(part, phase.collective, *phase.machine.topology);
        part["algorithm"] = text_or_null(phase.algorithm);
        if (!phase.remarks.empty()) part["remarks"] = phase.remarks;
        part["lawful"] = phase.verdict.lawful();
        part["measured"] = measured_in_json(phase.verdict.metrics);
        part["bounds"] =
            of_each([&](const QuantityRow& row) { return value_or_null(phase.bounds[row.quantity].value); });
    }
    json["silent_rounds"] = m.silent_rounds;
    json["payload"] = {
        {"held", report.payload}, {"packets_compared", v.compared_packets}, {"bytes_compared", v.compared_bytes}};
    json["violations"] = violations_of(report);
    json["violation_count"] = v.violation_count;
    json["violations_by_rule"] = Json::object();
    for (const RuleRow& rule : rule_rows)
        if (const std::uint64_t count = v.count(rule.rule); count != 0) json["violations_by_rule"][rule.name] = count;
    json["waiting_circles"] = waiting_cycles(v.violations);
    json["holders"] = v.holders;
    if (report.reduction) {
        json["reduction"] = {{"op", name(report.reduction->op)}, {"type", name(report.reduction->type)}};
        json["results"] = Json::array();
        const bool may_owe_none = report.collective.counts != nullptr || report.collective.is_own();
        if (!may_owe_none && !report.collective.inwards() && !report.collective.gives_result(0))
            json["results"].push_back(nullptr);
        for (const std::string& result : report.results) {
            const bool is_none = result.empty() && may_owe_none;
            json["results"].push_back(is_none ? Json(nullptr) : Json(result));
        }
    }
    put_agreement(json, report);
    json["stopped"] = report.stopped;
    if (report.out_of_rounds) json["out_of_rounds"] = true;
    if (report.not_begun) json["not_begun"] = true;
    if (!report.faults.empty()) json["faults"] = faults_of(report);
    put_engine(json["engine"], report);
    if (report.prediction)
        json["calibrated"] = {{"predicted_seconds", report.prediction->seconds},
                              {"measured_seconds", report.prediction->measured_seconds},
                              {"repetitions", report.prediction->repetitions},
                              {"counts", report.prediction->counts},
                              {"prices", report.prediction->prices},
                              {"origin", report.prediction->origin},
                              {"caveat", report.prediction->caveat}};
    json["again"] = text_or_null(report.again);
    if (report.hotspots) put_hotspots(json, *report.hotspots, *report.machine.topology);
    if (report.per_round) json["per_round"] = rounds_of(report);
}

Json json_report(const Report& report) {
    ask_for_memory(report);
    Json json;
    put_operation(json, report.collective, *report.machine.topology);
    if (!report.collective.promises() && !report.phases.empty()) json["operation"] = report.algorithm;  // a sequence
    json["algorithm"] = report.algorithm;
    if (report.ports_at_most) json["ports_at_most"] = *report.ports_at_most;
    put_machine(json, report.machine, report.root, report.collective.packet_bytes, report.collective.packets_each);
    if (!report.unaware_of.empty()) {
        json["machine"]["broken"] = report.unaware_of;
        json["machine"]["unaware"] = true;
    }
    if (!report.chosen.empty()) json["chosen"] = report.chosen;
    json["measured"] = nullptr;  // keeps the position that the documents show
    put_bounds(json, report.bounds);
    put_run(json, report);
    return json;
}

}  // namespace kport
