#include "emulator/report/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/audit/violation.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/terminal_text.hpp"
#include "emulator/report/words.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

namespace {

std::string in_digits(std::uint64_t count, Digits digits) {
    return digits == Digits::grouped ? grouped_count(count) : fmt::to_string(count);
}
std::string in_digits(std::uint64_t count, Digits digits, std::string_view singular) {
    return digits == Digits::grouped ? grouped_count(count, singular) : counted(count, singular);
}

}  // namespace

std::string holding_text(const Verdict& verdict, const Topology& topology, const Collective& collective, NodeId root,
                         Digits digits) {
    const Operation& operation = collective.operation;
    if (!operation.promises()) return "nothing promised";
    const NodeId nodes = collective.member_count(topology.nodes());
    // Nodes that want nothing count among the verdict's holders, where they are nodes.
    const std::uint64_t others = operation.inwards() ? 0 : topology.nodes() - nodes;
    const std::uint64_t held = verdict.holders - std::min(verdict.holders, others);
    const std::string holders = in_digits(held, digits);
    if (collective.groups != nullptr)
        return fmt::format("{} of {} in {} {} what they are promised", holders,
                           in_digits(verdict.promised, digits, operation.inwards() ? "contribution" : "node"),
                           counted(collective.groups->size(), "group"), operation.inwards() ? "are at roots:" : "hold");
    const std::uint64_t each = collective.packets_each;
    if (!operation.inwards())
        return fmt::format("{} of {} {}{} {}", holders, in_digits(nodes, digits, "node"),
                           operation.signals() ? "know" : "hold", held == 1 ? "s" : "",
                           held == 1 ? noun_of_one(operation, each) : noun_of(operation, each));
    if (each > 1)
        return fmt::format("node {} holds the {} of {} of {}", topology.name(root), noun_of(operation, each), holders,
                           in_digits(nodes, digits, "node"));
    return fmt::format("node {} holds {} of {}", topology.name(root), holders,
                       in_digits(nodes, digits, noun_of(operation, each)));
}

namespace {

std::string holding(const Report& report, Digits digits) {
    return holding_text(report.verdict, *report.machine.topology, report.collective, report.root.value_or(0), digits);
}

/// The results of a reduction, as many as a line holds.
std::string results_line(const Report& report, std::size_t width) {
    constexpr std::string_view more = " ...";
    static const std::string no_result = "-";  // of a node whose block has no segments, or that takes no fold
    if (report.results.empty()) return "";
    std::string line = fmt::format("results {} of {}:", name(report.reduction->op), name(report.reduction->type));
    const bool may_owe_none = report.collective.counts != nullptr || report.collective.is_own();
    if (!may_owe_none && !report.collective.inwards() && !report.collective.gives_result(0)) line += " -";
    for (const std::string& text : report.results) {
        const std::string& result = text.empty() && may_owe_none ? no_result : text;
        if (columns_of(line) + 1 + columns_of(result) + more.size() > width) return fmt::format("{}{}\n", line, more);
        line += " " + result;
    }
    const NodeId last = report.machine.topology->nodes() - 1;
    const bool all = report.collective.inwards() || report.results.size() == report.collective.prefix_size(last);
    return fmt::format("{}{}\n", line, all ? "" : more);
}

std::string brackets_text(const Report& report) {
    return report.brackets ? ", " + grouped_count(report.brackets->different, "bracket") : "";
}

/// Whether the results that were compared differ, and how far.
std::string disagreement(const Report& report) {
    const Agreement& agreement = *report.agreement;
    std::vector<std::string> samples;
    for (const Agreement::Sample& sample : agreement.samples)
        samples.push_back(fmt::format("{}: {}", report.machine.topology->name(sample.node), sample.text));
    std::string far = ", one is NaN";
    if (agreement.largest_ulps)
        far = *agreement.largest_ulps == 0 ? ""
                                           : fmt::format(", at most {} ulp{}", grouped_count(*agreement.largest_ulps),
                                                         *agreement.largest_ulps == 1 ? "" : "s");
    return fmt::format("NO: {} at {} ({}){}{}", grouped_count(agreement.different, "different result"),
                       grouped_count(agreement.holders, "node"), fmt::join(samples, ", "), far, brackets_text(report));
}

/// Whether all holders of a result hold the same bits.
std::string agree_line(const Report& report, const Paint& paint) {
    const auto line = [](const std::string& what) { return fmt::format("agree   {}\n", what); };
    const bool has_results = report.agreement && report.agreement->different != 0;
    if (report.collective.rules.agree == Force::off || report.stopped || !(has_results || report.brackets)) return "";
    if (has_results && report.agreement->different > 1)
        return line(paint(disagreement(report), report.verdict.kept(Rule::agree) ? Tone::warning : Tone::bad));
    if (!has_several_holders(report.collective)) return line("one holder of each result");
    if (is_exact(report)) return line("yes, the operator is exact");
    if (report.brackets && report.brackets->different == 1) return line("yes, 1 bracket");
    return line((has_results ? "yes on these values" : "only if the operator is exact") + brackets_text(report));
}

std::vector<std::string_view> broken_rules(const Verdict& verdict) {
    std::vector<std::string_view> broken;
    for (const RuleRow& rule : rule_rows)
        if (rule.rule != Rule::delivery && !verdict.kept(rule.rule)) broken.push_back(rule.title);
    return broken;
}

/// For broadcasts that go on after all nodes have the packet: judges the rounds up to then, and counts the others.
Cell rounds_status(const Report& report) {
    const Metrics& m = report.verdict.metrics;
    const BoundLine& bound = report.bounds[Quantity::rounds];
    const std::uint64_t judged = rounds_judged(report);
    Cell whole = status_text(report, static_cast<double>(m.rounds), bound);
    if (judged == m.rounds || !bound.value || report.stopped ||
        static_cast<double>(judged) > bound.least.value_or(*bound.value))
        return whole;
    const Cell status = status_text(report, static_cast<double>(judged), bound);
    return {fmt::format("{} (all nodes had it after round {}); ran {} more", status.text, grouped_count(judged),
                        grouped_count(m.rounds - judged, "round")),
            report.verdict.lawful() ? Tone::warning : Tone::bad};
}

std::string quantities(const Report& report, const Paint& paint, std::size_t width) {
    using enum Table::Align;
    Table table({{"quantity"}, {"run", right}, {"bound", right}, {"binding argument"}, {"status"}});
    for (const QuantityRow& row : quantity_rows) {
        const BoundLine& bound = report.bounds[row.quantity];
        const double measured = row.of(report.verdict.metrics);
        table.row({{row.label()},
                   {grouped(measured)},
                   {bound.value ? grouped(*bound.value) : "-"},
                   {bound.binding},
                   row.quantity == Quantity::rounds ? rounds_status(report) : status_text(report, measured, bound)});
    }
    return table.text(paint, width);
}

/// What meets a bound that the run stays above, or why it may be out of reach: one line for all quantities with the same reason.
std::string notes(const Report& report) {
    std::vector<std::pair<std::string, std::vector<std::string_view>>> reasons;
    for (const QuantityRow& row : quantity_rows) {
        const BoundLine& bound = report.bounds[row.quantity];
        const double measured = row.of(report.verdict.metrics);
        const bool is_best = bound.best_known && measured < *bound.best_known;
        const std::string why = is_best ? "this run is the best known here" : bound.caveat_why;
        const bool judged = optimal(report, measured, bound).has_value() && report.verdict.delivered;
        if (why.empty() || !judged || meets(measured, *bound.value)) continue;
        auto known = reasons.begin();
        while (known != reasons.end() && known->first != why) ++known;
        if (known == reasons.end()) known = reasons.insert(reasons.end(), {why, {}});
        known->second.push_back(row.title);
    }
    std::string text;
    for (const auto& [why, names] : reasons) text += fmt::format("note    {}: {}\n", fmt::join(names, ", "), why);
    for (const std::string& remark : report.remarks) text += fmt::format("note    {}\n", remark);
    if (const std::uint64_t silent = report.verdict.metrics.silent_rounds; silent > 0)
        text += fmt::format("note    {} of {} passed without a message, because programs waited (next_round)\n",
                            grouped_count(silent), grouped_count(report.verdict.metrics.rounds, "round"));
    return text;
}

/// "1 to 20 td", "4 td" of all links.
std::string range_of_factors(double least, double most, std::string_view price) {
    return fmt::format("{}{} {}", number(least), least == most ? "" : " to " + number(most), price);
}

/// What the run costs, its own numbers at the prices in force.
std::string prices_line(const Report& report) {
    const Metrics& m = report.verdict.metrics;
    const Costs& costs = report.machine.costs;
    if (const LinkPrices* prices = report.machine.prices.get())
        return fmt::format("prices  ts = {}, td = {}, tm = {}; a link costs {}, {}\n", number(costs.startup),
                           number(costs.hop), number(costs.byte),
                           range_of_factors(prices->least().hop, prices->most().hop, "td"),
                           range_of_factors(prices->least().byte, prices->most().byte, "tm"));
    const std::uint64_t moving = m.rounds - m.silent_rounds;
    const double sum = static_cast<double>(moving) * costs.startup + static_cast<double>(m.path_sum) * costs.hop +
                       static_cast<double>(m.volume) * costs.byte;
    const std::string text = fmt::format(
        "prices  ts = {}, td = {}, tm = {}: {} ts + {} td + {} tm = {}", number(costs.startup), number(costs.hop),
        number(costs.byte), grouped_count(moving), grouped_count(m.path_sum), grouped_count(m.volume), grouped(sum));
    if (std::abs(sum - m.latency) <= 1e-9 * sum) return text + "\n";
    const std::string_view why = report.verdict.kept(Rule::rounds)
                                     ? "in some round the longest path and the largest bundle are of different messages"
                                     : "a round without a message costs nothing";
    return fmt::format("{}\n        the latency is {}: {}\n", text, grouped(m.latency), why);
}

std::string ports_allowed(const Machine& machine) {
    const std::string_view partner = machine.pairwise ? "one partner, " : "";
    if (machine.ports.is_all()) return fmt::format("{}all of a node's at a time", partner);
    if (machine.node_ports != nullptr)
        return fmt::format("as node attribute {} says", quoted(machine.node_ports->attribute));
    if (!machine.ports.is_even()) {
        const auto at_most = [](Port limit, std::string_view what) {
            return limit == no_port ? fmt::format("{}s by all ports", what)
                                    : fmt::format("at most {}", counted(limit, what));
        };
        return fmt::format("{}, {}", at_most(machine.ports.sends(), "send"),
                           at_most(machine.ports.receives(), "receive"));
    }
    const Port k = machine.ports.k();
    if (machine.duplex == Duplex::half)
        return fmt::format("{}at most {}{}", partner, k, k == 1 ? " send or receive" : " sends and receives");
    return fmt::format("{0}at most {1} send{2}, {1} receive{2}", partner, k, k == 1 ? "" : "s");
}

std::string payload_text(const Report& report) {
    if (report.checked) return "no payload: a schedule was judged";
    if (!report.collective.operation.promises())
        return fmt::format("contents {}verified, {} with {} B compared", report.verdict.delivered ? "" : "NOT ",
                           grouped_count(report.verdict.compared_packets, "message"),
                           grouped_count(report.verdict.compared_bytes));
    if (!report.payload) return "payload not held";
    if (report.stopped) return "payload not verified";
    const Verdict& v = report.verdict;
    if (report.collective.operation.signals()) return "no payload: signals have no bytes";
    const std::string_view verified = v.delivered ? "payload verified" : "payload NOT verified";
    if (report.collective.packet_bytes == 0) return std::string(verified) + ", of 0 bytes";
    if (v.compared_packets == 0 && !v.lawful()) return "payload not compared";
    if (v.compared_bytes == v.compared_packets * report.collective.packet_bytes)
        return fmt::format("{}, {} x {} B compared", verified, grouped_count(v.compared_packets),
                           grouped_count(report.collective.packet_bytes));
    return fmt::format("{}, {} with {} B compared", verified, grouped_count(v.compared_packets, "result"),
                       grouped_count(v.compared_bytes));
}

/// Whether a rule has its place in the line of rules while it is kept.
bool always_shown(Rule rule, const Report& report) {
    const bool of_packets = report.collective.operation.promises();
    switch (rule) {
        case Rule::ports:
        case Rule::channel: return true;
        case Rule::nodup:
        case Rule::noho: return of_packets && !report.collective.operation.signals();  // void of signals
        case Rule::combining: return of_packets && !report.machine.combining;
        case Rule::strict: return report.machine.policy == Policy::strict;
        default: return false;
    }
}

/// Whether the reader of a schedule found the rule broken.
bool is_found_broken(const ForeignJudgement& judgement, Rule rule) {
    if (rule != Rule::nodup && rule != Rule::noho) return false;
    const ScheduleFault fault = rule == Rule::nodup ? ScheduleFault::nodup : ScheduleFault::noho;
    return std::ranges::find(judgement.findings, fault, &FoundFault::fault) != judgement.findings.end();
}

std::string rules_line(const Report& report, const Paint& paint) {
    const Verdict& v = report.verdict;
    std::vector<std::string> states;
    for (const RuleRow& rule : rule_rows) {
        if (rule.rule == Rule::delivery) continue;  // the payload tells
        const bool kept = v.kept(rule.rule) && !is_found_broken(report.judgement, rule.rule);
        if (kept && !always_shown(rule.rule, report)) continue;
        const std::string_view what = rule.rule == Rule::combining ? "one packet a message" : rule.title;
        if (const Force force = v.force(rule.rule); force != Force::law) {
            states.push_back(fmt::format("{} {}", what, force == Force::off ? "off" : "counted"));
            continue;
        }
        const std::string broken =
            rule.rule == Rule::broken ? std::string("messages LOST") : fmt::format("{} BROKEN", what);
        states.push_back(kept ? fmt::format("{} kept", what) : paint(broken, Tone::bad));
        if (rule.rule == Rule::ports) states.back() += fmt::format(" ({})", ports_allowed(report.machine));
    }
    return fmt::format("rules   {}   {}\n", fmt::join(states, "   "), payload_text(report));
}

/// How often each counted rule was not kept, and where first.
std::string counted_lines(const Report& report) {
    std::string lines;
    for (const Counted& counted : report.verdict.counted) {
        lines += fmt::format("counted {} not kept {}", row(counted.rule).title, grouped_count(counted.count, "time"));
        if (counted.first) {
            const std::string told = sentence_of_first(counted, *report.machine.topology);
            lines += fmt::format("; first {}", told.substr(told.find(": ") + 2));  // behind "NODUP not kept"
        }
        lines += "\n";
    }
    return lines;
}

std::string chip_line(const Report& report) {
    const std::uint64_t messages = report.verdict.metrics.transfers;
    const double seconds = message_seconds(report);
    if (report.reproducible) return "";
    if (report.checked)
        return fmt::format("audit   {} judged in {}\n", grouped_count(messages, "message"), duration(seconds));
    std::string line = fmt::format("chip    {} in {} on {}", grouped_count(messages, "message"), duration(seconds),
                                   counted(report.threads, "thread"));
    if (messages != 0) {
        const double each = seconds * 1e9 / static_cast<double>(messages);
        line += fmt::format(", {} ns a message", each < 9.95 ? fmt::format("{:.1f}", each) : grouped(std::round(each)));
    }
    if (report.engine == EngineKind::free)
        line += fmt::format("\n        {} with set-up, audit and check of the bytes", duration(report.wall_seconds));
    if (report.needs_rounds != NeedsRounds::no)
        line += fmt::format("\n        in lockstep: {}", text(report.needs_rounds));
    return line + "\n";
}

/// What each rank had to do, after how evenly that was dealt.
std::string ranks_lines(const Report& report) {
    const std::vector<RankFacts>& ranks = report.ranks;
    if (ranks.empty() || report.reproducible) return "";
    std::uint64_t messages = 0;
    std::uint64_t remote = 0;
    std::uint64_t most = 0;
    std::string each;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        const RankFacts& rank = ranks[r];
        messages += rank.messages;
        remote += rank.remote;
        most = std::max(most, rank.messages);
        each += fmt::format("\n        rank {}: {}, {} remote, {} in exchange, {}", r,
                            grouped_count(rank.messages, "message"), grouped_count(rank.remote),
                            duration(rank.exchange_seconds), memory(static_cast<double>(rank.peak_bytes)));
    }
    std::string line = fmt::format("ranks   {}", ranks.size());
    if (messages != 0) {
        const double mean = static_cast<double>(messages) / static_cast<double>(ranks.size());
        line += fmt::format("; {:.3g} % of messages remote; the busiest sends {:.3g} times the mean",
                            100.0 * static_cast<double>(remote) / static_cast<double>(messages),
                            static_cast<double>(most) / mean);
    }
    return line + each + "\n";
}

/// "12.3 ms" beside what was measured.
std::string model_line(const Report& report) {
    if (!report.prediction || report.stopped) return "";
    const Prediction& prediction = *report.prediction;
    const double measured = prediction.measured_seconds;
    std::string line = fmt::format("model   {} take {:.4g} ms at {}\n", prediction.counts, prediction.seconds * 1e3,
                                   prediction.prices);
    line += fmt::format("        the chip took {:.4g} ms (median of {}): {:+.4g} ms", measured * 1e3,
                        counted(prediction.repetitions, "warm run"), (measured - prediction.seconds) * 1e3);
    if (prediction.seconds > 0) line += fmt::format(", {:.3g} times the prediction", measured / prediction.seconds);
    line += fmt::format("\n        calibrated in {}\n", prediction.origin);
    if (!prediction.caveat.empty()) line += fmt::format("        {}\n", prediction.caveat);
    return line;
}

/// "broken  NODUP 33, NOHO 2".
std::string counts_line(const Report& report) {
    std::vector<std::string> counts;
    for (const RuleRow& rule : rule_rows)
        if (const std::uint64_t count = report.verdict.count(rule.rule); count != 0)
            counts.push_back(fmt::format("{} {}", rule.title, grouped_count(count)));
    return counts.empty() ? "" : fmt::format("broken  {}\n", fmt::join(counts, ", "));
}

/// What the reader of a schedule found: a lost delivery first.
std::string findings_lines(const Report& report, const Paint& paint) {
    std::vector<FoundFault> all = report.judgement.findings;
    std::ranges::stable_partition(all, [](const FoundFault& found) { return found.fault == ScheduleFault::delivery; });
    std::string text;
    for (const FoundFault& found : all)
        text += fmt::format("{}: {}\n", paint(name(found.fault), Tone::bad), found.text);
    return text.empty() ? text : "\n" + text;
}

std::string stories(const Report& report, const Paint& paint) {
    constexpr std::size_t told_max = 5;
    std::string text;
    std::size_t told = 0;
    for (const Violation& violation : report.verdict.violations) {
        if (told == told_max) break;
        ++told;
        const std::vector<std::string> lines = story(violation, *report.machine.topology);
        text += paint(lines.front(), Tone::bad) + "\n";
        for (std::size_t i = 1; i < lines.size(); ++i) text += fmt::format("  {}\n", lines[i]);
    }
    if (report.verdict.violation_count > told)
        text += fmt::format("... and {} more\n", grouped_count(report.verdict.violation_count - told));
    for (const std::vector<NodeId>& cycle : waiting_cycles(report.verdict.violations))
        text += fmt::format("deadlock: {}\n", cycle_in_words(cycle, *report.machine.topology));
    if (told > 0 && !report.remark.empty()) text += fmt::format("  {}\n", report.remark);
    return text.empty() ? text : "\n" + text;
}

/// "found: NODUP broken: ...".
std::string finding_text(const Report& report, const Injected& fault, const Found& told, const Paint& paint) {
    const Topology& topology = *report.machine.topology;
    switch (told.finding) {
        case Finding::reported:
            return fmt::format("{}: {}", paint("found", Tone::good), sentence(*told.violation, topology));
        case Finding::counted: {
            const Counted& counted = *std::ranges::find(report.verdict.counted, *fault.rule, &Counted::rule);
            return fmt::format(
                "{}: {}", paint("found, counted", Tone::good),
                told.violation != nullptr
                    ? sentence_of_first(counted, topology)
                    : fmt::format("{} not kept {}, {} without it", row(counted.rule).title,
                                  grouped_count(counted.count, "time"), grouped_count(fault.counted_before)));
        }
        case Finding::not_looked_at: return fmt::format("not looked at: {} is off", name(*fault.rule));
        case Finding::missed: return fmt::format("{}: a fault of kport", paint("NOT FOUND", Tone::bad));
        case Finding::harmless: break;
    }
    return report.faults.size() == 1 ? "not reported: no rule broken by it"
                                     : "not reported: no rule broken by it, or another fault hides it";
}

/// The injected faults, and whether the auditor found them.
std::string faults_lines(const Report& report, const Paint& paint) {
    constexpr std::size_t told_max = 5;
    std::string text;
    std::size_t tell = 0;
    for (std::size_t i = 0; i < report.faults.size(); ++i) {
        const Injected& fault = report.faults[i];
        const Found told = found(report, fault);
        tell += told ? 1 : 0;
        if (i >= told_max) continue;
        text += fmt::format("fault   injected: {}: {}\n        {}\n", info(fault.fault).name, fault.what,
                            finding_text(report, fault, told, paint));
    }
    if (report.faults.size() > told_max)
        text += fmt::format("fault   {} injected, {} of them reported individually\n",
                            grouped_count(report.faults.size()), grouped_count(tell));
    return text;
}

constexpr std::size_t hang_of_head = 9;  // columns of "verdict  "

/// Whether phases were run, and nothing is promised as a whole.
bool has_only_phases(const Report& report) { return !report.collective.operation.promises() && !report.phases.empty(); }

std::string head(const Report& report, const Paint& paint, std::size_t width) {
    const Cell verdict = verdict_text(report);
    const std::string_view rule = std::string_view(report.rule).substr(0, report.rule.find(':'));
    const std::string ran =
        fmt::format("{} {} ({}){}", report.checked ? "schedule" : "algorithm", report.algorithm, rule,
                    report.ports_at_most ? ", at most " + counted(*report.ports_at_most, "port") : "");
    const std::string judged = "verdict  " + paint(verdict.text, verdict.tone);
    if (report.checked)
        return judged + "\n" +  // first, and on a line of its own however long it is: scripts read it
               request_line(report.collective, report.root, report.machine, width) +
               wrapped(ran + "\n", hang_of_head, width);
    std::string unaware;
    if (!report.unaware_of.empty())
        unaware = wrapped(fmt::format("lost    messages over {}: broken, and the algorithm does not know\n",
                                      fmt::join(report.unaware_of, ", ")),
                          hang_of_head, width);
    constexpr std::string_view between = "        ";
    const bool one_line = columns_of(ran) + between.size() + columns_of(judged) <= width;
    const std::string request = has_only_phases(report)
                                    ? wrapped(fmt::format("sequence on {}   {}\n", report.machine.topology->spec(),
                                                          machine_line(report.machine)),
                                              8, width, Break::phrases)
                                    : request_line(report.collective, report.root, report.machine, width);
    return request + unaware +
           wrapped(fmt::format("{}{}{}\n", ran, one_line ? between : "\n", judged), hang_of_head, width);
}

}  // namespace

std::string counted_text(const Verdict& verdict, Digits digits) {
    std::vector<std::string> texts;
    for (const Counted& counted : verdict.counted)
        if (counted.count != 0)
            texts.push_back(
                fmt::format("{} not kept {}", row(counted.rule).title, in_digits(counted.count, digits, "time")));
    return texts.empty() ? "" : fmt::format("counted only: {}", fmt::join(texts, ", "));
}

namespace {

/// The names of the faults that the reader of a schedule found, the one that names the verdict first.
std::uint64_t faults_of(const ForeignJudgement& judgement) {
    std::uint64_t faults = 0;
    for (const FoundFault& found : judgement.findings) faults += found.count;
    return faults;
}

std::vector<std::string_view> names_of(const std::vector<FoundFault>& findings) {
    std::set<ScheduleFault> kinds;
    for (const FoundFault& found : findings) kinds.insert(found.fault);
    std::vector<std::string_view> names;
    for (const ScheduleFault fault : kinds) names.push_back(name(fault));
    return names;
}

std::string not_judged_text(const ForeignJudgement& judgement) {
    std::vector<std::string> parts;
    for (const NotJudged& part : judgement.not_judged) parts.push_back(fmt::format("{} ({})", part.what, part.why));
    const std::string judged =
        judgement.judged.empty() ? "rules of the machine" : fmt::format("{}", fmt::join(judgement.judged, ", "));
    return fmt::format("not judged: {}; kept: {}", fmt::join(parts, ", "), judged);
}

/// Whether everything promised is in its place, whatever else is broken.
bool all_hold(const Report& report) {
    return !report.collective.operation.promises() || report.verdict.holders == report.verdict.promised;
}

/// Whether all is there, and the rule of delivery is broken in another way: a program waits in vain, say.
bool is_delivered_unlawfully(const Report& report) {
    return report.collective.operation.promises() && all_hold(report) && !report.verdict.delivered && !report.stopped;
}

}  // namespace

Cell verdict_text(const Report& report, Digits digits) {
    const Verdict& v = report.verdict;
    const std::string holders = holding(report, digits);
    std::string all_kept = v.judged_by.all_law() ? "all rules kept" : "all enforced rules kept";
    if (const std::string counted = counted_text(v, digits); !counted.empty())
        all_kept += fmt::format(" ({})", counted);
    std::vector<std::string_view> broken = broken_rules(v);
    const bool found_by_reader = !report.judgement.findings.empty();
    if (all_hold(report) && !v.delivered && !report.stopped && !found_by_reader) broken.emplace_back("delivery");
    if (report.not_begun)
        return {fmt::format("stopped{} while the run that it reverses was recorded, no verdict: nothing has moved",
                            report.out_of_rounds ? " (the limit of rounds)" : ""),
                Tone::warning};
    if (report.stopped && has_only_phases(report))
        return {fmt::format("stopped in phase {}{}, no verdict", in_digits(report.phases.size(), digits),
                            report.out_of_rounds ? " (the limit of rounds)" : ""),
                Tone::warning};
    if (report.stopped)
        return {fmt::format("stopped in round {}{}, no verdict: {} so far{}", in_digits(v.metrics.rounds, digits),
                            report.out_of_rounds ? " (the limit)" : "", holders,
                            broken.empty() ? "" : fmt::format(", broken: {}", fmt::join(broken, ", "))),
                Tone::warning};
    if (has_only_phases(report)) {
        const auto lawful = static_cast<std::size_t>(
            std::ranges::count_if(report.phases, [](const Report& phase) { return phase.verdict.lawful(); }));
        const std::string whole = "nothing is promised as a whole";
        if (lawful == report.phases.size())
            return {fmt::format("every phase keeps its promise, {}", whole), Tone::good};
        return {fmt::format("broken: {} of {}, {}", report.phases.size() - lawful,
                            in_digits(report.phases.size(), digits, "phase"), whole),
                Tone::bad};
    }
    const ForeignJudgement& judgement = report.judgement;
    if (found_by_reader) {
        std::vector<std::string_view> names = names_of(judgement.findings);
        names.insert(names.end(), broken.begin(), broken.end());
        return {fmt::format("broken: {} ({})", fmt::join(names, ", "),
                            in_digits(faults_of(judgement) + v.violation_count, digits, "fault")),
                Tone::bad};
    }
    if (v.lawful() && !judgement.not_judged.empty()) return {not_judged_text(judgement), Tone::warning};
    if (v.lawful()) return {fmt::format("{}, {}", all_kept, holders), Tone::good};
    std::string text = broken.empty() ? all_kept : fmt::format("broken: {}", fmt::join(broken, ", "));
    if (is_delivered_unlawfully(report)) text = "delivered, but " + text;
    if (!v.delivered && !all_hold(report)) text = broken.empty() ? "NOT delivered" : text + ", NOT delivered";
    return {fmt::format("{} ({}), {}", text, in_digits(v.violation_count, digits, "violation"), holders), Tone::bad};
}

namespace {

/// "12.5%" above the bound; of ten times the bound and more "12.5 times the bound".
std::string ratio_text(double ratio) {
    return ratio < 11 ? fmt::format("{:.3g}%", 100 * (ratio - 1))
                      : fmt::format("{} times the bound",
                                    ratio < 1000 ? fmt::format("{:.3g}", ratio) : grouped(std::round(ratio)));
}

}  // namespace

Cell status_text(const Report& report, double measured, const BoundLine& bound) {
    if (!bound.value) return {"no bound known"};
    if (report.stopped) return {"stopped before the end"};
    if (!report.judgement.findings.empty()) return {"not lawful", Tone::bad};
    if (is_delivered_unlawfully(report)) return {"delivered, not lawful", Tone::bad};
    if (!report.verdict.delivered) return {"not delivered", Tone::bad};
    const bool lawful = report.verdict.lawful();
    if (!lawful && measured >= *bound.value && meets(measured, bound.least.value_or(*bound.value)))
        return {"met, but rules broken", Tone::bad};
    if (meets(measured, *bound.value)) return {"optimal", Tone::good};
    if (bound.least && meets(measured, *bound.least))
        return {fmt::format("best possible {}: optimal", grouped(*bound.least)), Tone::good};
    const double above = measured - *bound.value;
    const std::string percent =
        *bound.value > 0 ? fmt::format(" ({})", ratio_text(measured / *bound.value)) : std::string();
    if (above < 0 && !lawful) return {"below the bound, by broken rules", Tone::bad};
    if (above < 0)  // a lawful run cannot be: its count or the bound is wrong
        return {fmt::format("BELOW THE BOUND by {}: a fault of kport", grouped(-above)), Tone::bad};
    if (bound.caveat.empty()) return {fmt::format("above by {}{}", grouped(above), percent), Tone::warning};
    const std::string least = bound.least ? fmt::format(": at least {} is proven", grouped(*bound.least)) : "";
    return {fmt::format("+{}{}, {}{}", grouped(above), percent, bound.caveat, least), Tone::warning};
}

std::string rounds_table(const Report& report, const Paint& paint, std::size_t width) {
    using enum Table::Align;
    Table table({{"round", right},
                 {"messages", right},
                 {"longest path", right},
                 {"largest bundle", right},
                 {"bytes", right},
                 {"reached", right}});
    std::uint64_t reached = reached_before(report.collective.operation);
    for (const RoundMetrics& round : report.verdict.per_round) {
        reached += round.reached;
        table.row({{grouped_count(round.round)},
                   {grouped_count(round.transfers)},
                   {grouped_count(round.longest_path)},
                   {grouped_count(round.largest_bundle)},
                   {grouped_count(round.bytes)},
                   {grouped_count(reached)}});
    }
    return table.text(paint, width);
}

/// "in 2 groups", "2 of 8 nodes", "8 nodes".
std::string nodes_of_phase(const Report& phase) {
    const Topology& topology = *phase.machine.topology;
    if (phase.collective.groups != nullptr)
        return fmt::format("in {}", counted(phase.collective.groups->size(), "group"));
    const NodeId all = named_machine(topology).nodes();
    if (topology.membership() == nullptr) return grouped_count(all, "node");
    return fmt::format("{} of {}", grouped_count(topology.nodes()), grouped_count(all, "node"));
}

/// A line a phase, and the sum.
std::string phases_table(const Report& report, const Paint& paint, std::size_t width) {
    using enum Table::Align;
    std::vector<Table::Column> columns = {{"phase"}, {"nodes"}};
    for (const QuantityRow& row : quantity_rows) columns.push_back({std::string(row.title), right});
    columns.push_back({"verdict"});
    Table table(std::move(columns));
    const auto add = [&](std::string what, std::string nodes, const Metrics& m, std::string verdict) {
        std::vector<Cell> cells = {{std::move(what)}, {std::move(nodes)}};
        for (const QuantityRow& row : quantity_rows)
            cells.push_back({row.count != nullptr ? grouped_count(m.*row.count) : grouped(m.*row.time)});
        cells.push_back({std::move(verdict)});
        table.row(std::move(cells));
    };
    for (const Report& phase : report.phases) {
        const Collective& c = phase.collective;
        add(fmt::format("{}{}{}", c.asked_name(), phase.algorithm.empty() ? "" : " ", phase.algorithm),
            nodes_of_phase(phase), phase.verdict.metrics, phase.verdict.lawful() ? "lawful" : "broken");
    }
    add("sum", "", report.verdict.metrics, report.verdict.lawful() ? "lawful" : "broken");
    return table.text(paint, width);
}

std::string text_report(const Report& report, const Paint& paint, std::size_t width) {
    constexpr std::size_t label = 8;  // columns of "rules   "
    const auto labelled = [&](const std::string& lines) { return wrapped(lines, label, width); };
    if (has_only_phases(report))
        return head(report, paint, width) + "\n" + phases_table(report, paint, width) + "\n" +
               labelled(notes(report) + prices_line(report)) + fmt::format("again   {}\n", report.again);
    std::string text = head(report, paint, width) + "\n" + quantities(report, paint, width) +
                       labelled(notes(report) + prices_line(report)) + "\n";
    text += labelled(faults_lines(report, paint)) + wrapped(rules_line(report, paint), label, width, Break::phrases) +
            labelled(counted_lines(report)) + results_line(report, width) + labelled(agree_line(report, paint)) +
            labelled(chip_line(report) + ranks_lines(report) + model_line(report) + counts_line(report) +
                     hotspot_lines(report));
    if (!report.chosen.empty()) text += labelled(fmt::format("choice  {}\n", report.chosen));
    if (!report.again.empty()) text += fmt::format("again   {}\n", report.again);
    text += wrapped(findings_lines(report, paint), 4, width) + wrapped(stories(report, paint), 4, width);
    if (!report.phases.empty()) text += "\n" + phases_table(report, paint, width);
    if (report.per_round) text += "\n" + rounds_table(report, paint, width);
    return text;
}

}  // namespace kport
