#include "algorithms/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/allgather/allgather.hpp"
#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/alltoall/alltoall.hpp"
#include "algorithms/broadcast/broadcast.hpp"
#include "algorithms/gather/gather.hpp"
#include "algorithms/reversal.hpp"
#include "algorithms/scan/scan.hpp"
#include "algorithms/scatter/scatter.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

const std::vector<Algorithm>& catalogue() {
    static const std::vector<Algorithm> rows = {
        broadcast_sbt(),
        broadcast_rda(),
        broadcast_dost(),
        broadcast_rda_product(),
        broadcast_u_mesh(),
        broadcast_farthest_first(),
        broadcast_controlled_flooding(),
        broadcast_euler_rda(),
        broadcast_dost_nearest_first(),
        broadcast_flooding(),

        scatter_sbt(),
        scatter_rda(),
        scatter_rda_product(),
        scatter_hypercube_mapped(),
        scatter_euler_rda(),
        scatter_direct(),
        scatter_pipeline(),
        scatter_dost(),

        time_reversal(Operation::gather, scatter_sbt()),
        time_reversal(Operation::gather, scatter_rda()),
        time_reversal(Operation::gather, scatter_rda_product()),
        time_reversal(Operation::gather, scatter_hypercube_mapped()),
        time_reversal(Operation::gather, scatter_euler_rda()),
        time_reversal(Operation::gather, scatter_direct()),
        time_reversal(Operation::gather, scatter_pipeline()),
        time_reversal(Operation::gather, scatter_dost()),
        gather_direct_all(),

        time_reversal(Operation::reduce, broadcast_sbt()),
        in_order(time_reversal(Operation::reduce, broadcast_rda()), rda_folds_in_order),
        in_order(time_reversal(Operation::reduce, broadcast_dost()), grid_folds_in_order),
        in_order(time_reversal(Operation::reduce, broadcast_rda_product()), grid_folds_in_order),
        time_reversal(Operation::reduce, broadcast_u_mesh()),
        time_reversal(Operation::reduce, broadcast_farthest_first()),
        time_reversal(Operation::reduce, broadcast_controlled_flooding()),
        time_reversal(Operation::reduce, broadcast_euler_rda()),

        allreduce_exchange(),
        allreduce_by_reduce_and_broadcast(),

        scan_exchange(),

        allgather_exchange(),
        allgather_ring_bidirectional(),
        allgather_ring(),
        allgather_ring_per_dimension(),
        allgather_line_per_dimension(),
        allgather_bruck(),

        alltoall_exchange(),
        alltoall_ring_bidirectional(),
        alltoall_ring_bidirectional_serial(),
        alltoall_ring(),
        alltoall_ring_per_dimension(),
        alltoall_bruck(),
        alltoall_pairwise(),
    };
    return rows;
}

std::optional<std::string> misfit_of(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                                     const AlgorithmOptions& options) {
    require_topology(machine);
    if (auto why = algorithm.misfit(machine, collective, options)) return why;
    if (algorithm.competes && machine.policy == Policy::strict)
        return "has messages that wait for each other, which --policy strict forbids";
    if (!algorithm.operation.folds() || options.reduction.commutative()) return std::nullopt;
    if (algorithm.folds_in_order != nullptr && algorithm.folds_in_order(machine, collective, options))
        return std::nullopt;
    return "does not fold the contributions in the order of the nodes here, which --op concat needs";
}

std::vector<const Algorithm*> applicable(const Machine& machine, const Collective& collective,
                                         const AlgorithmOptions& options) {
    std::vector<const Algorithm*> fitting;
    for (const Algorithm& row : catalogue())
        if (row.operation == collective.operation && !misfit_of(row, machine, collective, options))
            fitting.push_back(&row);
    return fitting;
}

namespace {

/// "try sbt, controlled-flooding", or a clause for the case that no algorithm runs.
std::string way_out(const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
    std::vector<std::string_view> names;
    for (const Algorithm* row : applicable(machine, collective, options)) names.push_back(row->name);
    return names.empty() ? std::string("no other algorithm runs as asked either")
                         : fmt::format("{} would do", fmt::join(names, ", "));
}

}  // namespace

const Algorithm& algorithm_named(std::string_view wanted, const Machine& machine, const Collective& collective,
                                 const AlgorithmOptions& options) {
    std::vector<std::string_view> names;
    for (const Algorithm& row : catalogue()) {
        if (row.operation != collective.operation) continue;
        names.push_back(row.name);
        if (row.name != wanted) continue;
        if (const auto why = misfit_of(row, machine, collective, options))
            throw RequestError(fmt::format("algorithm {} {}; on {} ({}) {}", quoted(wanted), *why,
                                           machine.topology->spec(), machine.describe(),
                                           way_out(machine, collective, options)));
        return row;
    }
    if (names.empty()) throw RequestError(fmt::format("operation '{}' has no algorithm", name(collective.operation)));
    throw RequestError(fmt::format("algorithm {} is unknown for {}{} ({})", quoted(wanted), name(collective.operation),
                                   did_you_mean(wanted, names), fmt::join(names, ", ")));
}

Job make_job(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
             const AlgorithmOptions& options) {
    require_topology(machine);
    require_valid(collective, *machine.topology);
    Start start = algorithm.make(machine, collective, options);
    Job job;
    job.machine = machine;
    job.program = std::move(start.program);
    job.starters = std::move(start.starters);
    job.all_start = start.all_start;
    job.collective = collective;
    job.collective.operation = algorithm.forward;
    job.reduction = options.reduction;
    return job;
}

}  // namespace kport
