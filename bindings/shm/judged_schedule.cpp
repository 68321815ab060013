#include "bindings/shm/movements.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/run.hpp"
#include "emulator/base/error.hpp"

namespace kport::shm {

namespace {

/// In nanoseconds: a word that one core writes and another one reads; the first byte of each place of another thread, of which a core
/// fetches some at once; a byte that is copied. Of the order that `kport chip` shows; the same everywhere, so that every computer plans
/// alike. A wrong price costs time and never a result.
constexpr double startup = 120;
constexpr double reach = 30;
constexpr double byte = 0.08;

/// Returns when the last thread returns: a movement begins when the one before and what it needs have ended, and takes as long as to read
/// its sources and to write their fold to all places, half the price of a copied byte each, and to reach those of other threads.
double nanoseconds(const Movements& movements, double piece_bytes) {
    std::vector<std::vector<double>> ended(movements.of.size(), std::vector<double>{0});
    // Needs lead to movements before in one order of all, so that each turn ends a movement.
    for (bool moves = true; moves;) {
        moves = false;
        for (std::size_t rank = 0; rank < ended.size(); ++rank)
            while (ended[rank].size() <= movements.of[rank].size()) {
                const Movement& next = movements.of[rank][ended[rank].size() - 1];
                const auto is_there = [&](const Need& need) { return ended[need.rank].size() > need.ended; };
                if (!std::ranges::all_of(next.needs, is_there)) break;
                double begins = ended[rank].back();
                for (const Need& need : next.needs) begins = std::max(begins, ended[need.rank][need.ended] + startup);
                const std::size_t passes = next.from.empty() ? 0 : next.from.size() + 1 + next.also.size();
                const auto others =
                    next.also.size() + static_cast<std::size_t>(std::ranges::count_if(
                                           next.from, [rank](const Location& source) { return source.rank != rank; }));
                ended[rank].push_back(begins + static_cast<double>(passes) / 2 * byte * piece_bytes +
                                      static_cast<double>(others) * reach);
                moves = true;
            }
    }
    double last = 0;
    for (const std::vector<double>& own : ended) last = std::max(last, own.back());
    return last;
}

/// Into how many pieces the vector of an operation is cut: one, or so many that all threads have work.
std::vector<std::uint64_t> cuts(const Operation& operation, unsigned threads, std::uint64_t bytes) {
    constexpr std::uint64_t worth_cutting = 1024;
    if (!has_vector(operation) || bytes < worth_cutting) return {1};
    std::set<std::uint64_t> pieces{1, threads};
    if (operation == Operation::broadcast) pieces.insert(std::uint64_t{4} * threads);
    return {pieces.begin(), pieces.end()};
}

Experiment experiment_of(const Operation& operation, unsigned root, unsigned threads, std::uint64_t bytes,
                         std::uint64_t pieces) {
    constexpr std::uint64_t element = sizeof(double);
    Experiment e;
    e.machine.topology = make_topology(fmt::format("complete:{}", threads));
    e.machine.ports = PortLimit(no_port, 1);
    e.machine.costs.startup = startup;
    e.machine.costs.byte = byte;
    const std::uint64_t elements = std::max<std::uint64_t>(1, bytes / element / pieces);
    e.collective = Collective::of(operation, root, operation.signals() ? 0 : elements * element);
    e.collective.packets_each = pieces;
    if (operation.folds()) e.options.reduction.type = ElementType::real;
    e.payload = false;
    e.threads = 1;
    return e;
}

}  // namespace

Movements judged_movements(const Operation& operation, unsigned root, unsigned threads, std::uint64_t bytes) {
    if (threads == 1) {
        Collective collective = Collective::of(operation, root, operation.signals() ? 0 : bytes);
        return compiled(Schedule(), collective, threads).value();
    }
    std::optional<Movements> best;
    double least = 0;
    for (const std::uint64_t pieces : cuts(operation, threads, bytes)) {
        const Experiment e = experiment_of(operation, root, threads, bytes, pieces);
        for (const Algorithm& algorithm : catalogue()) {
            if (algorithm.operation != operation || misfit_of(algorithm, e.machine, e.collective, e.options)) continue;
            Schedule schedule;
            Caller caller;
            caller.recorded_schedule = &schedule;
            Chosen chosen{e, &algorithm, std::nullopt, {}, false};
            chosen.experiment.algorithm = algorithm.name;
            const Outcome outcome = run(chosen, caller);
            if (outcome.ending != Ending::lawful) continue;  // what is followed was judged
            std::optional<Movements> movements = compiled(schedule, e.collective, threads);
            if (!movements) continue;
            const double latency = nanoseconds(*movements, static_cast<double>(e.collective.packet_bytes));
            if (best && latency >= least) continue;
            movements->algorithm = algorithm.name;
            best = std::move(movements);
            least = latency;
        }
    }
    invariant(best.has_value(), "no algorithm of the catalogue moves this on a complete graph");
    return *std::move(best);
}

}  // namespace kport::shm
