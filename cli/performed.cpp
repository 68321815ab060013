#include "cli/performed.hpp"

#include <algorithm>
#include <array>
#include <istream>
#include <limits>
#include <new>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "cli/attended.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/own_algorithms.hpp"
#include "cli/supervised.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "files/json_report.hpp"
#include "files/schedule_file.hpp"
#include "session/judged.hpp"
#include "stress/second_opinion.hpp"

namespace kport::cli {

namespace {

using Claimed = nlohmann::json;

/// What the process with the code reports of a run.
struct Reported {
    OwnFacts facts;
    RunClaims claims;
    Schedule schedule;
    std::vector<PhaseTime> phases;
    std::optional<Prediction> prediction;
};

// Writing, in the process with the code.

class PieceWriter final : public std::streambuf {
  public:
    PieceWriter() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

  protected:
    int_type overflow(int_type next) override {
        (void)sync();
        return next == traits_type::eof() ? 0 : sputc(traits_type::to_char_type(next));
    }
    int sync() override {
        report_piece(Piece::schedule, {pbase(), static_cast<std::size_t>(pptr() - pbase())});
        setp(buffer_.data(), buffer_.data() + buffer_.size());
        return 0;
    }

  private:
    std::array<char, 1 << 15> buffer_{};
};

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

Claimed claimed(const EngineFacts& engine) {
    return {{"name", engine.name},
            {"threads", engine.threads},
            {"wall", engine.wall_seconds},
            {"peak", engine.peak_rss_bytes},
            {"moving", engine.moving_seconds ? Claimed(*engine.moving_seconds) : Claimed()},
            {"because", engine.in_lockstep_because}};
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

void report(const Performed& run) {
    const Report& report = run.outcome.report;
    PieceWriter pieces;
    std::ostream out(&pieces);
    write_schedule(out, run.moved, *report.machine.topology);
    out.flush();
    const Algorithm& row = *run.chosen.algorithm;
    const Claimed claims = {{"rule", row.rule},
                            {"in_order", row.in_order.holds != nullptr},
                            {"verdict", claimed(report.verdict)},
                            {"engine", claimed(report.engine)},
                            {"results", report.results},
                            {"stopped", report.stopped},
                            {"out_of_rounds", report.out_of_rounds},
                            {"phases", claimed(run.phases)},
                            {"prediction", claimed(report.prediction)}};
    report_piece(Piece::claims, claims.dump(-1, ' ', false, Claimed::error_handler_t::replace));
}

// Reading, by the judge. Whatever throws here is no report.

constexpr std::size_t claimed_text_max = 1000;

/// A text for a report: one line.
std::string text_in(const Claimed& json) {
    std::string text = json.get<std::string>().substr(0, claimed_text_max);
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
    return text;
}

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

EngineFacts engine_in(const Claimed& json) {
    EngineFacts engine;
    engine.name = text_in(json.at("name"));
    engine.threads = number_in<unsigned>(json.at("threads"));
    engine.wall_seconds = number_in<double>(json.at("wall"));
    engine.peak_rss_bytes = number_in<std::uint64_t>(json.at("peak"));
    if (!json.at("moving").is_null()) engine.moving_seconds = number_in<double>(json.at("moving"));
    engine.in_lockstep_because = text_in(json.at("because"));
    return engine;
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
        if (phase > static_cast<unsigned>(Phase::exchange)) throw std::out_of_range("a phase");
        phases.push_back({static_cast<Phase>(phase), number_in<unsigned>(time.at(1)), number_in<unsigned>(time.at(2)),
                          number_in<Round>(time.at(3)), number_in<double>(time.at(4)), number_in<double>(time.at(5)),
                          0});
    }
    return phases;
}

void read_claims(const std::string& text, NodeId nodes, Reported& into) {
    const Claimed json = Claimed::parse(text);
    into.facts = {text_in(json.at("rule")), json.at("in_order").get<bool>()};
    into.claims.verdict = verdict_in(json.at("verdict"), nodes);
    into.claims.engine = engine_in(json.at("engine"));
    for (const Claimed& result : json.at("results")) into.claims.results.push_back(text_in(result));
    if (into.claims.results.size() > shown_results_max) throw std::out_of_range("results");
    into.claims.stopped = json.at("stopped").get<bool>();
    into.claims.out_of_rounds = json.at("out_of_rounds").get<bool>();
    into.phases = phases_in(json.at("phases"));
    into.prediction = prediction_in(json.at("prediction"));
}

/// The schedule, as it comes.
class PieceReader final : public std::streambuf {
  public:
    explicit PieceReader(Supervision& supervision) : supervision_(supervision) {}
    [[nodiscard]] bool is_at_end() const { return next_.has_value(); }
    /// The piece that ended the schedule; reads on to it.
    Piece after(std::string& bytes) {
        while (!next_) (void)underflow();
        bytes = std::move(piece_);
        return *next_;
    }

  protected:
    int_type underflow() override {
        if (next_) return traits_type::eof();
        piece_.clear();
        const Piece kind = supervision_.next(piece_);
        if (kind != Piece::schedule) {
            next_ = kind;
            return traits_type::eof();
        }
        setg(piece_.data(), piece_.data(), piece_.data() + piece_.size());
        return piece_.empty() ? underflow() : traits_type::to_int_type(piece_.front());
    }

  private:
    Supervision& supervision_;
    std::string piece_;
    std::optional<Piece> next_;
};

[[noreturn]] void refuse_report(const std::string& file, std::string_view why) {
    throw NoVerdict(fmt::format("{} ended without a complete schedule: {}; no verdict", file, why), status_stopped);
}

/// Throws NoVerdict if this is the end of a run that was refused, or was stopped without a report, and has said why.
void require_no_reason(Piece kind, std::string_view bytes) {
    if (kind != Piece::end || bytes.size() != 1) return;
    const int status = bytes.front();
    if (status >= status_wrong && status <= status_stopped) throw NoVerdict("", status);
}

/// All that comes before the end of the report. Throws NoVerdict unless it is one schedule and then its claims.
Reported reported(Supervision& supervision, const std::string& file, NodeId nodes) {
    Reported all;
    const auto refuse = [&](std::string_view why) { refuse_report(file, why); };
    PieceReader pieces(supervision);
    std::string bytes;
    std::istream in(&pieces);
    in.exceptions(std::ios::badbit);  // what next() throws
    if (in.peek() != std::istream::traits_type::eof()) {
        try {
            all.schedule = read_schedule(in, file).schedule;
        } catch (const RequestError& error) {
            if (pieces.is_at_end()) require_no_reason(pieces.after(bytes), bytes);
            refuse(error.what());
        }
    }
    Piece kind = pieces.after(bytes);
    std::string claims;
    for (; kind == Piece::claims; kind = supervision.next(bytes)) {
        claims += bytes;
        bytes.clear();
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

/// Throws NoVerdict unless the schedule can be one of this operation on this machine.
void require_schedule_of(const Experiment& e, const Schedule& schedule) {
    try {
        require_readable(schedule, e.machine, e.collective);
    } catch (const RequestError& error) {
        refuse_report(e.algorithm, error.what());
    }
}

/// The second auditor, on small machines. Throws std::logic_error if it disagrees.
void require_agreement(const Chosen& chosen, const Schedule& schedule) {
    constexpr NodeId nodes_max = 64;
    constexpr std::size_t transfers_max = 4096;
    const Experiment& e = chosen.experiment;
    if (e.topology().nodes() > nodes_max || schedule.size() > transfers_max) return;
    const Collective collective = judged_collective(*chosen.algorithm, e.collective, e.options);
    const Verdict verdict = audit(schedule, e.machine, collective, false);
    const std::string objections = second_opinion(schedule, e.machine, collective, verdict);
    if (!objections.empty()) throw std::logic_error("the two auditors disagree: " + objections);
}

Performed run_here(const Experiment& experiment, const Wanted& wanted) {
    Performed run;
    run.chosen = planned(experiment);
    if (wanted.before) wanted.before(run.chosen);
    Attended attended;
    Caller caller = attended.caller();
    if (wanted.transfers) caller.recorded_schedule = &run.moved;
    if (wanted.phases) caller.phases = &run.phases;
    run.outcome = kport::run(run.chosen, caller);
    if (wanted.prediction && run.outcome.report.verdict.lawful())
        run.outcome.report.prediction = wanted.prediction(run.outcome.report, run.chosen);
    return run;
}

/// In the process with the code. A fault is injected by the judge, into what moved here.
[[noreturn]] void run_and_report(Experiment experiment, Wanted wanted) {
    wanted.transfers = true;
    if (experiment.injection) experiment.until = 0;
    experiment.injection.reset();
    const Performed run = run_here(experiment, wanted);
    report(run);
    end_at_once(status_of(run.outcome.ending));
}

/// Compiles the file, divides the program, and waits for the report. In the process with the code it does not return.
Reported run_apart(const Words& words, const Experiment& experiment, const Wanted& wanted) {
    const OwnFiles files(words);
    const auto supervision = supervise(files.names());
    if (supervision == nullptr) {
        files.load();
        run_and_report(experiment, wanted);
    }
    return reported(*supervision, experiment.algorithm, experiment.topology().nodes());
}

Performed judged_run(Reported all, const Experiment& experiment, const Wanted& wanted) {
    follow_in_catalogue(experiment, all.facts, all.schedule);
    Performed run;
    run.chosen = planned(experiment);
    require_schedule_of(experiment, all.schedule);
    Attended attended;
    Caller caller = attended.caller();
    Schedule faulty;
    const bool injects = experiment.injection && !all.claims.stopped;
    if (injects && wanted.transfers) caller.recorded_schedule = &faulty;
    require_agreement(run.chosen, all.schedule);
    run.outcome = judged(run.chosen, all.schedule, all.claims, caller);
    if (run.outcome.report.verdict.lawful()) run.outcome.report.prediction = std::move(all.prediction);
    run.moved = injects ? std::move(faulty) : std::move(all.schedule);
    run.phases = std::move(all.phases);
    return run;
}

}  // namespace

Performed performed(const Words& words, const Experiment& experiment, const Wanted& wanted) {
    if (!is_algorithm_file(experiment.algorithm)) return run_here(experiment, wanted);
    return judged_run(run_apart(words, experiment, wanted), experiment, wanted);
}

}  // namespace kport::cli
