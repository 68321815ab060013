#include "app/cli/reported.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/progress.hpp"
#include "app/files/json_report.hpp"
#include "app/stress/second_opinion.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::cli {

namespace {

using Claimed = nlohmann::json;

// Writing, in the process with the code.

Claimed claimed(const Violation& v) {
    return {v.breach, v.round, v.node, v.port, v.packet, v.other, v.earlier, v.earlier_other, v.limit, v.segment};
}

Claimed claimed(const Verdict& verdict) {
    Claimed violations = Claimed::array();
    for (const Violation& violation : verdict.violations) violations.push_back(claimed(violation));
    return {
        {"violations", violations},      {"count", verdict.violation_count},    {"by_rule", verdict.violations_by_rule},
        {"holders", verdict.holders},    {"packets", verdict.compared_packets}, {"bytes", verdict.compared_bytes},
        {"delivered", verdict.delivered}};
}

/// How the run was carried out.
Claimed claimed_engine(const Report& report) {
    return {{"kind", static_cast<unsigned>(report.engine)},
            {"threads", report.threads},
            {"wall", report.wall_seconds},
            {"peak", report.peak_rss_bytes},
            {"moving", report.moving_seconds},
            {"needs_rounds", static_cast<unsigned>(report.needs_rounds)}};
}

Claimed claimed(const std::optional<Prediction>& p) {
    if (!p) return nullptr;
    return {{"seconds", p->seconds},
            {"measured", p->measured_seconds},
            {"repetitions", p->repetitions},
            {"counts", p->counts},
            {"prices", p->prices},
            {"origin", p->origin},
            {"caveat", p->caveat}};
}

Claimed claimed(const std::vector<PhaseTime>& phases) {
    Claimed all = Claimed::array();
    for (const PhaseTime& t : phases)
        all.push_back({t.phase, t.thread, t.partition, t.round, t.begin_seconds, t.end_seconds});
    return all;
}

void report_claims(const Claimed& claims) {
    report_piece(Piece::claims, claims.dump(-1, ' ', false, Claimed::error_handler_t::replace));
}

}  // namespace

void report_run(const Report& report, const Schedule& moved, const std::vector<PhaseTime>& phases) {
    write_records(moved, [](std::string_view records) { report_piece(Piece::schedule, records); });
    const Algorithm* const row = find_algorithm(report.collective.operation, report.algorithm);
    report_claims({{"rule", report.rule},
                   {"in_order", row != nullptr && row->in_order.holds != nullptr},
                   {"verdict", claimed(report.verdict)},
                   {"engine", claimed_engine(report)},
                   {"results", report.results},
                   {"stopped", report.stopped},
                   {"out_of_rounds", report.out_of_rounds},
                   {"phases", claimed(phases)},
                   {"prediction", claimed(report.prediction)}});
}

void report_misfit(const std::string& why) { report_claims({{"misfit", why}}); }

void report_failure(const std::string& why) { report_claims({{"failure", why}}); }

namespace {

// Reading, by the judge. Whatever throws here is no report.

constexpr std::size_t claimed_text_max = 1000;
/// Bytes: the times of phases_times_max phases of each of many threads, for --trace, take some 60 each.
constexpr std::size_t claims_max = std::size_t{256} << 20;

/// Throws if it is no text.
std::string text_in(const Claimed& json) { return one_line(json.get<std::string>(), claimed_text_max); }

template <class Number>
Number number_in(const Claimed& json) {
    if constexpr (std::is_floating_point_v<Number>) {
        return json.get<Number>();
    } else {
        if (!json.is_number_unsigned() || json.get<std::uint64_t>() > std::numeric_limits<Number>::max())
            throw std::out_of_range("a number");
        return json.get<Number>();
    }
}

Violation violation_in(const Claimed& json) {
    Violation v;
    const auto breach = number_in<std::uint64_t>(json.at(0));
    if (breach >= breach_count()) throw std::out_of_range("a breach");
    v.breach = static_cast<Breach>(breach);
    v.round = number_in<Round>(json.at(1));
    v.node = number_in<NodeId>(json.at(2));
    v.port = number_in<Port>(json.at(3));
    v.packet = number_in<PacketId>(json.at(4));
    v.other = number_in<NodeId>(json.at(5));
    v.earlier = number_in<Round>(json.at(6));
    v.earlier_other = number_in<NodeId>(json.at(7));
    v.limit = number_in<std::uint64_t>(json.at(8));
    v.segment = number_in<std::uint32_t>(json.at(9));
    return v;
}

void require_nodes(const Violation& v, NodeId nodes) {
    for (const NodeId node : {v.node, v.other, v.earlier_other})
        if (node != no_node && node >= nodes) throw std::out_of_range("a node");
}

Verdict verdict_in(const Claimed& json, NodeId nodes) {
    Verdict verdict;
    for (const Claimed& violation : json.at("violations")) {
        verdict.violations.push_back(violation_in(violation));
        require_nodes(verdict.violations.back(), nodes);
    }
    verdict.violation_count = number_in<std::uint64_t>(json.at("count"));
    if (verdict.violations.size() > verdict.violation_count || verdict.violations.size() > ViolationLog::listed_max)
        throw std::out_of_range("violations");
    for (std::size_t i = 0; i < rules; ++i)
        verdict.violations_by_rule[i] = number_in<std::uint64_t>(json.at("by_rule").at(i));
    verdict.holders = number_in<std::uint64_t>(json.at("holders"));
    verdict.compared_packets = number_in<std::uint64_t>(json.at("packets"));
    verdict.compared_bytes = number_in<std::uint64_t>(json.at("bytes"));
    verdict.delivered = json.at("delivered").get<bool>();
    return verdict;
}

template <class Enumeration>
Enumeration enumerator_in(const Claimed& json, Enumeration last) {
    const auto number = number_in<unsigned>(json);
    if (number > static_cast<unsigned>(last)) throw std::out_of_range("an enumerator");
    return static_cast<Enumeration>(number);
}

void read_engine(const Claimed& json, RunClaims& into) {
    RunResult& run = into.result;
    run.engine = enumerator_in(json.at("kind"), EngineKind::free);
    run.needs_rounds = enumerator_in(json.at("needs_rounds"), NeedsRounds::starts);
    run.threads = number_in<unsigned>(json.at("threads"));
    if (run.threads > run_threads_max) throw std::out_of_range("threads");
    run.wall_seconds = number_in<double>(json.at("wall"));
    run.moving_seconds = number_in<double>(json.at("moving"));
    into.peak_rss_bytes = number_in<std::uint64_t>(json.at("peak"));
}

std::optional<Prediction> prediction_in(const Claimed& json) {
    if (json.is_null()) return std::nullopt;
    Prediction p;
    p.seconds = number_in<double>(json.at("seconds"));
    p.measured_seconds = number_in<double>(json.at("measured"));
    p.repetitions = number_in<std::uint64_t>(json.at("repetitions"));
    p.counts = text_in(json.at("counts"));
    p.prices = text_in(json.at("prices"));
    p.origin = text_in(json.at("origin"));
    p.caveat = text_in(json.at("caveat"));
    return p;
}

std::vector<PhaseTime> phases_in(const Claimed& json) {
    std::vector<PhaseTime> phases;
    for (const Claimed& time : json) {
        const auto phase = number_in<unsigned>(time.at(0));
        const auto thread = number_in<unsigned>(time.at(1));
        if (phase > static_cast<unsigned>(Phase::exchange) || thread >= run_threads_max)
            throw std::out_of_range("a phase");
        phases.push_back({static_cast<Phase>(phase), thread, number_in<unsigned>(time.at(2)),
                          number_in<Round>(time.at(3)), number_in<double>(time.at(4)), number_in<double>(time.at(5)),
                          0});
    }
    return phases;
}

void read_claims(const std::string& text, NodeId nodes, Reported& into) {
    const Claimed json = Claimed::parse(text);
    if (json.contains("misfit")) into.misfit = text_in(json.at("misfit"));
    if (json.contains("failure")) into.failure = text_in(json.at("failure"));
    if (!into.ran()) return;
    into.facts = {text_in(json.at("rule")), json.at("in_order").get<bool>()};
    read_engine(json.at("engine"), into.claims);
    RunResult& run = into.claims.result;
    run.verdict = verdict_in(json.at("verdict"), nodes);
    for (const Claimed& result : json.at("results")) run.results.push_back(text_in(result));
    if (run.results.size() > shown_results_max) throw std::out_of_range("results");
    run.stopped = json.at("stopped").get<bool>();
    run.out_of_rounds = json.at("out_of_rounds").get<bool>();
    into.phases = phases_in(json.at("phases"));
    into.prediction = prediction_in(json.at("prediction"));
}

[[noreturn]] void refuse_report(std::string_view file, std::string_view why) {
    throw NoVerdict(fmt::format("{} ended without a complete schedule: {}; no verdict", file, why), status_stopped);
}

/// Throws NoVerdict if this is the end of a run that was refused, or was stopped without a report, and has said why.
void require_no_reason(Piece kind, std::string_view bytes) {
    if (kind != Piece::end || bytes.size() != 1) return;
    const int status = static_cast<unsigned char>(bytes.front());
    if (status >= status_wrong && status <= status_stopped) throw NoVerdict("", status);
}

/// The schedule, as it comes. Returns the kind of the piece behind it, whose bytes are put into `bytes`.
Piece read_schedule(Supervision& supervision, const std::string& file, Schedule& schedule, std::string& bytes) {
    std::string records;
    for (;;) {
        const std::size_t incomplete = records.size();
        const Piece kind = supervision.next(records);
        if (kind != Piece::schedule) {
            bytes = records.substr(incomplete);
            if (incomplete == 0) return kind;
            require_no_reason(kind, bytes);
            refuse_report(file, fmt::format("transfers[{}] lacks a part", schedule.size()));
        }
        try {
            records.erase(0, add_records(records, schedule));
        } catch (const RequestError& error) {
            refuse_report(file, error.what());
        }
    }
}

}  // namespace

Reported reported(Supervision& supervision, const std::string& file, NodeId nodes) {
    Reported all;
    const auto refuse = [&](std::string_view why) { refuse_report(file, why); };
    std::string bytes;
    Piece kind = read_schedule(supervision, file, all.schedule, bytes);
    std::string claims;
    for (; kind == Piece::claims; kind = supervision.next(bytes)) {
        claims += bytes;
        bytes.clear();
        if (claims.size() > claims_max) refuse("what it says of its run is too long");
    }
    if (kind != Piece::end || bytes.size() != 1) refuse("its report is not a schedule");
    if (claims.empty()) require_no_reason(kind, bytes);
    try {
        read_claims(claims, nodes, all);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) {
        refuse("what it says of its run cannot be read");
    }
    return all;
}

namespace {

/// Throws NoVerdict unless the schedule can be one of this operation on this machine.
void require_schedule_of(const Experiment& e, std::string_view file, const Schedule& schedule) {
    try {
        require_readable(schedule, e.machine, e.collective);
    } catch (const RequestError& error) {
        refuse_report(file, error.what());
    }
}

/// The second auditor, on small machines. Throws NoVerdict if it disagrees.
void require_agreement(const Chosen& chosen, const Schedule& schedule) {
    constexpr NodeId nodes_max = 64;
    constexpr std::size_t transfers_max = 4096;
    const Experiment& e = chosen.experiment;
    if (e.topology().nodes() > nodes_max || schedule.size() > transfers_max) return;
    const Collective collective = judged_collective(*chosen.algorithm, e.collective, e.options);
    const Verdict verdict = audit(schedule, e.machine, collective, false);
    const std::string objections = second_opinion(schedule, e.machine, collective, verdict);
    if (!objections.empty())
        throw NoVerdict(fmt::format("the two auditors disagree: {}; no verdict", objections), status_stopped);
}

}  // namespace

Outcome judged_outcome(const Chosen& chosen, const Reported& run, const Caller& caller) {
    if (!run.ran()) refuse_report(chosen.algorithm->name, "its program did not run");
    const std::string judging = fmt::format("the schedule of {} is being judged", chosen.algorithm->name);
    nothing_to_tell_while(judging);
    const auto judge = [&] {
        require_schedule_of(chosen.experiment, chosen.algorithm->name, run.schedule);
        require_agreement(chosen, run.schedule);
        follow(run.schedule);
        return judged(chosen, run.schedule, run.claims, caller);
    };
    const bool shows_progress = chosen.experiment.injection.has_value();  // it runs here
    return shows_progress ? judge() : with_signs_of_life(judging, judge);
}

}  // namespace kport::cli
