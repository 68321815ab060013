/// @file matrix_product.cpp   The product of the matrices of all nodes of a mesh, in their order.
#include <exception>

#include <fmt/format.h>
#include <kport/kport.hpp>

#include "matrix_product.hpp"

using namespace kport;
using namespace kport::example;

namespace {

RunResult run_on_mesh(NodeId p, const Reduction& reduction) {
    Job job;
    job.machine.topology = make_topology(fmt::format("mesh:{0}x{0}", p));
    job.program = [p](Node& self) { return product_of_all(self, p); };
    job.all_start = true;
    job.collective = Collective::reduce(0, sizeof(Matrix));
    job.reduction = reduction;
    return run_lockstep(job, {});
}

}  // namespace

int main() {
    bool right = true;
    for (const NodeId p : {2U, 3U, 8U}) {
        const RunResult run = run_on_mesh(p, product());
        fmt::print("mesh:{0}x{0}: {1} in {2} rounds, {3} rules broken\n", p, run.results.front(),
                   run.verdict.metrics.rounds, run.verdict.violation_count);
        right = right && run.verdict.lawful() && run.verdict.metrics.rounds == 2 * (p - 1);
    }
    try {
        (void)run_on_mesh(2, product(true));
        right = false;
    } catch (const std::exception& error) {
        fmt::print("{}\n", error.what());
    }
    return right ? 0 : 1;
}
