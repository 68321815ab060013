/// @file report.hpp   A finished run beside its lower bounds: the content of a report, measured and decided elsewhere; its text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/audit/verdict.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/machine/quantity.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/report/judgement.hpp"
#include "emulator/report/table.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/critical_path.hpp"
#include "emulator/schedule/load.hpp"

namespace KPORT_PUBLIC kport {

/// A lower bound as a report shows it.
struct BoundLine {
    std::optional<double> value;            ///< nothing: no bound is known
    std::string binding;                    ///< the argument that gives the value
    std::string caveat;                     ///< "not known to be reachable"; empty where the bound can be reached
    std::string caveat_why;                 ///< one clause; without caveat what meets it; may be empty
    std::optional<double> least = {};       ///< what every schedule costs at least, where it is more than `value`
    std::optional<double> best_known = {};  ///< what a schedule is known to cost; only where it is more than `value`
};

using BoundLines = PerQuantity<BoundLine>;

/// What prices measured on this computer say about a run (kport run --calibrated).
struct Prediction {
    double seconds = 0;
    double measured_seconds = 0;    ///< the median of warm runs, as the prices are of warm runs
    std::uint64_t repetitions = 0;  ///< how many
    std::string counts;             ///< "4 rounds, 256 bytes"
    std::string prices;             ///< "ts = 812 ns, tm = 0.13 ns"
    std::string origin;             ///< which file, of when, and how sure
    std::string caveat;             ///< why it cannot be right for this run; may be empty
};

/// Where a run is loaded most, and the messages behind its last receipt (kport run --hotspots).
struct Hotspots {
    Load load;
    CriticalPath path;
};

/// What came of a run, what was asked for, and the lower bounds beside it.
struct Report : RunResult {
    Machine machine;
    Collective collective;               ///< with the rules by which it was judged
    std::optional<NodeId> root;          ///< nothing where neither the operation nor the algorithm has one
    std::optional<Reduction> reduction;  ///< what was folded; nothing where nothing is
    bool payload = true;                 ///< bytes were copied and checked
    bool per_round = false;              ///< it shows a row for each round
    bool reproducible = false;           ///< it shows no times, memory or threads, which differ from run to run
    std::string algorithm;               ///< or the name of a schedule that was checked
    std::optional<Port> ports_at_most;   ///< that the algorithm was allowed; nothing: as many as the machine has
    std::string rule;                    ///< the algorithm in a sentence, or the form of the schedule
    std::string remark;                  ///< an alternative if it breaks rules; may be empty
    std::string chosen;                  ///< why this algorithm, where several apply and none was named; else empty
    std::string again;                   ///< the command that repeats the run
    BoundLines bounds;
    std::vector<Report>
        phases;  ///< of an algorithm that runs others one after the other, each judged by its own promise
    std::optional<Agreement> brackets;    ///< of the results (node/fold_order.hpp); nothing where they were not counted
    std::string agreement_class;          ///< of the algorithm on this machine: "always"; empty where none is known
    std::vector<Injected> faults;         ///< injected
    std::vector<std::string> unaware_of;  ///< broken parts over which messages were lost (Experiment::unaware_of)
    std::uint64_t peak_rss_bytes = 0;     ///< of the process
    std::optional<Prediction> prediction;
    std::optional<Hotspots> hotspots;  ///< by what was sent; nothing unless it was asked for
    bool checked = false;              ///< a schedule was judged: nothing ran, and no bytes moved
    std::vector<std::string> remarks;  ///< of a schedule: what was chosen because it does not say it, a clause each
    ForeignJudgement judgement;        ///< of a foreign schedule: what its reader found
};

/// "lockstep", "free"; "audit" where nothing ran.
[[nodiscard]] std::string_view engine_name(const Report& report);
/// Payload bytes that were copied.
[[nodiscard]] std::uint64_t bytes_moved(const Report& report);
/// The time of the messages, by which engines are compared: in a free run that of the programs only.
[[nodiscard]] double message_seconds(const Report& report);

/// Whether a measured value is its lower bound: whole numbers exactly, others but for rounding (1e-9 of the bound).
[[nodiscard]] bool meets(double measured, double bound);

/// The answer to "is this optimal?": nothing where no bound is known or the run was stopped; no where the run did not
/// deliver.
[[nodiscard]] std::optional<bool> optimal(const Report& report, double measured, const BoundLine& bound);
/// optimal() of the quantity's judged value and bound.
[[nodiscard]] std::optional<bool> optimal(const Report& report, Quantity quantity);

/// The rounds that are judged by the bound: of a broadcast that goes on when every node has the packet, those before that.
[[nodiscard]] std::uint64_t rounds_judged(const Report& report);

/// Nodes that hold a packet which they have not received, as the column of the nodes reached counts them.
[[nodiscard]] std::uint64_t reached_before(const Operation& operation);

/// What the report says of an injected fault. While a run has not ended, none is missed.
[[nodiscard]] Found found(const Report& report, const Injected& fault);
/// Whether values were folded by an operator that gives the same bits wherever the brackets stand.
[[nodiscard]] bool is_exact(const Report& report);

/// Whether a lawful run costs less than a bound, which cannot be: its count or the bound is wrong, a fault of kport.
[[nodiscard]] bool is_below_bound(const Report& report);

/// Whether a fault was missed that something had to tell of.
[[nodiscard]] bool misses_fault(const Report& report);

/// The whole report. The first few violations follow the table; the table of rounds comes last if requested. Lines take
/// at most `width` columns, but for the command that repeats the run.
[[nodiscard]] std::string text_report(const Report& report, const Paint& paint, std::size_t width = usual_width);

/// A row for each round of a run whose rounds were kept (Report::per_round).
[[nodiscard]] std::string rounds_table(const Report& report, const Paint& paint, std::size_t width = usual_width);

/// How numbers of five digits and more are written: as programs read them, or with commas between thousands (grouped()).
enum class Digits : std::uint8_t { plain, grouped };

/// "counted only: NODUP not kept 5 times" of the rules that are counted and were not kept; empty where there are none.
[[nodiscard]] std::string counted_text(const Verdict& verdict, Digits digits = Digits::grouped);

/// "1024 of 1024 nodes hold the packet", "node 0 holds 7 of 8 packets".
[[nodiscard]] std::string holding_text(const Verdict& verdict, const Topology& topology, const Collective& collective,
                                       NodeId root, Digits digits = Digits::grouped);

/// "all rules kept, 1024 of 1024 nodes hold the packet", or what is broken.
[[nodiscard]] Cell verdict_text(const Report& report, Digits digits = Digits::grouped);

/// "optimal", "above by 3 (30%)", "no bound known": a measured value compared with its bound.
[[nodiscard]] Cell status_text(const Report& report, double measured, const BoundLine& bound);

}  // namespace kport
