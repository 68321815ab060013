/// @file reductions.hpp   Tests of reductions: jobs of one, programs in which every node comes to hold all, and the report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "tests/rules/breaches.hpp"

namespace kport::test {

inline Job reducing(const Machine& machine, Operation operation, const Reduction& reduction, ProgramFactory program) {
    Job all = job_of_all(machine, std::move(program));
    all.collective.operation = operation;
    all.reduction = reduction;
    return all;
}

/// One sentence a breach; the report must have kept all of them.
inline std::vector<std::string> all_sentences(const RunResult& result, const Machine& machine) {
    EXPECT_EQ(result.verdict.violations.size(), result.verdict.violation_count);
    return sentences(result.verdict, *machine.topology);
}

/// The catalogue's scan, with the operand order for operators that are not commutative.
inline ProgramFactory prefix_sums_in_order(const Machine& cube) {
    return find_algorithm(Operation::scan, "exchange")->make(cube, {}, {}).program;
}

/// Every node holds all contributions after n exchanges and returns give(value).
template <class Give>
ProgramFactory exchange_and(Give give) {
    return [give](Node& self) -> Program {
        return [](Node& node, Give give_result) -> Program {
            Value message = node.contribution();
            for (Port port = 0; port < node.topology().ports(); ++port) {
                co_await node.send(port, message);
                const Arrival arrival = co_await node.receive(port);
                message = node.fold(message, arrival.value());
            }
            give_result(node, message);
        }(self, give);
    };
}

inline RunResult run_exchange(ProgramFactory program, Operation operation = Operation::allreduce) {
    return run_lockstep(reducing(machine("hypercube:2"), operation,
                                 {Operator::sum, ElementType::int64, {"1", "2", "3", "4"}}, std::move(program)),
                        {});
}

}  // namespace kport::test
