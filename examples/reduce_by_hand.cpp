/// @file reduce_by_hand.cpp   Reductions written by hand: values, and the order of the folds.
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <kport/kport.hpp>

using namespace kport;

namespace {

/// Up a complete binary tree: fold the values of both children into the own contribution, send the result to the parent.
Program up_the_tree(Node& self) {
    constexpr Port parent = 0;
    Value total = self.contribution();
    const bool leaf = 2 * self.id() + 1 >= self.topology().nodes();
    for (int child = 0; child < (leaf ? 0 : 2); ++child) {
        const Arrival arrival = co_await self.receive();
        total = self.fold(total, arrival.value());
    }
    if (self.id() != 0) {
        co_await self.send(parent, total);
    } else {
        self.result(total);
    }
}

/// Along a line to node 0, whose contribution is the leftmost.
Program down_the_line(Node& self, bool in_order) {
    constexpr Port left = 0;
    Value total = self.contribution();
    if (self.id() + 1 < self.topology().nodes()) {
        const Arrival arrival = co_await self.receive();
        total = in_order ? self.fold(total, arrival.value()) : self.fold(arrival.value(), total);
    }
    if (self.id() != 0) {
        co_await self.send(left, total);
    } else {
        self.result(total);
    }
}

bool run(const char* title, const char* topology, const Reduction& reduction, ProgramFactory program) {
    Job job;
    job.machine.topology = make_topology(topology);
    job.program = std::move(program);
    job.all_start = true;
    job.collective = Collective::reduce(0, 8);
    job.reduction = reduction;

    const RunResult run = run_lockstep(job, {});
    const Verdict& verdict = run.verdict;
    fmt::print("{} on {}: {} {}\n", title, topology, name(reduction.op), fmt::join(run.results, " "));
    fmt::print("    {} rounds, {} of {} contributions, {} rules broken\n", verdict.metrics.rounds, verdict.holders,
               verdict.promised, verdict.violation_count);
    if (!verdict.violations.empty())
        for (const auto& line : story(verdict.violations.front(), *job.machine.topology)) fmt::print("    {}\n", line);
    return verdict.lawful();
}

}  // namespace

int main() {
    const Reduction sum{.op = Operator::sum, .type = ElementType::int64, .values = {"3", "1", "4", "1", "5", "9", "2"}};
    const Reduction text{.op = Operator::concat, .type = ElementType::text, .values = {"c", "o", "u", "r", "s", "e"}};
    const bool tree = run("up the tree", "cbt:2", sum, up_the_tree);
    const bool ordered = run("down the line", "line:6", text, [](Node& self) { return down_the_line(self, true); });
    const bool swapped = run("wrong way round", "line:6", text, [](Node& self) { return down_the_line(self, false); });
    return tree && ordered && !swapped ? 0 : 1;
}
