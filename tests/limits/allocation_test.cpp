/// @file allocation_test.cpp   Every allocation fails in turn, once and from there on: std::bad_alloc comes out, nothing is
///                             lost (LeakSanitizer looks in the asan build), and the next run is right.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "app/files/schedule_file.hpp"
#include "app/requests/experiment_of.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/payload/packet_store.hpp"
#include "emulator/report/report.hpp"
#include "emulator/report/terminal_text.hpp"
#include "tests/limits/failing_new.hpp"

namespace kport::test {
namespace {

/// A job whose result is text.
struct Work {
    std::string name;
    std::function<std::string()> job;
    std::uint64_t step = 1;  ///< of thousands of allocations not every one; KPORT_EVERY_ALLOCATION=1 takes all
};
void PrintTo(const Work& work, std::ostream* out) { *out << work.name; }

struct Case {
    const char* topology;
    Operation operation;
    const char* algorithm;
    EngineKind engine = EngineKind::lockstep;
    std::uint64_t packets_each = 1;
};

std::string text_of(const RunResult& result) {
    std::string text;
    for (const std::string& shown : result.results) text += shown + ' ';
    const Metrics& m = result.verdict.metrics;
    for (const std::uint64_t count :
         {m.rounds, m.work, m.path_sum, m.volume, m.transfers, m.bytes, result.verdict.holders,
          result.verdict.violation_count, std::uint64_t{result.verdict.per_round.size()}})
        text += std::to_string(count) + ' ';
    return text;
}

RunResult run(const Case& what, Schedule* record) {
    Machine machine;
    machine.topology = make_topology(what.topology);
    Collective collective;
    collective.operation = what.operation;
    collective.packets_each = what.packets_each;
    if (what.operation.folds()) collective.packet_bytes = 8;
    RunOptions options;
    options.threads = 1;
    options.engine = what.engine;
    options.per_round = true;
    options.recorded_schedule = record;
    return run_algorithm(algorithm_named(what.algorithm, machine, collective, {}), machine, collective, {}, {},
                         options);
}

Work running(const std::string& name, const Case& what) {
    return {name, [what] { return text_of(run(what, nullptr)); }};
}

/// A schedule, written, read again and judged.
std::string schedule_and_back() {
    Schedule schedule;
    (void)run({"mesh:2x2", Operation::scatter, "dost"}, &schedule);
    const auto topology = make_topology("mesh:2x2");
    std::ostringstream out;
    write_schedule(out, schedule, *topology);
    if (!out) throw std::bad_alloc();  // a stream reports a failure without its cause
    std::istringstream in(out.str());
    const ScheduleFile file = read_schedule(in, "written");
    Machine machine;
    machine.topology = make_topology(file.topology);
    RunResult judged;
    judged.verdict = audit(file.schedule, machine, {Operation::scatter, 0, 64}, true);
    return text_of(judged);
}

/// A node's packets in three bodies, one of them passed on in part, and a message of so many blocks that an index is made.
std::string packets_in_an_index() {
    constexpr std::uint32_t blocks_of_a_body = 40;
    constexpr NodeId nodes = 300;
    struct Node {
        FramePool pool;
        PacketStore store{Collective{Operation::alltoall, 0, 8}, nodes, 1};
        ~Node() { store.clear(0, pool); }
    } node;
    const auto blocks_from = [](std::uint32_t first) {
        PacketBlocks blocks;
        for (std::uint32_t i = 0; i < blocks_of_a_body; ++i) blocks.push_back({first + 3 * i + i % 2, 1, 1, 1});
        return blocks;
    };
    for (const std::uint32_t first : {0U, 60U, 120U}) {
        const PacketBlocks blocks = blocks_from(first);
        Body* body = Body::make(span_of(blocks), 8 * blocks_of_a_body, node.pool);
        std::memset(body->bytes(), static_cast<int>('a' + first / 60), body->byte_count());
        node.store.add(0, body, node.pool);
    }
    const PacketBlock gone{3 + 1, 1, 1, 1};
    node.store.give_away(0, {&gone, 1}, node.pool);
    const PacketBlocks asked = blocks_from(0);
    Body* message = node.store.copy_out(0, span_of(asked), node.pool);
    std::string text(reinterpret_cast<const char*>(message->bytes()), message->byte_count());
    message->release(node.pool);
    return text;
}

/// Not as JSON: nlohmann::json needs memory even to be destroyed (files/json_report.cpp asks for it before).
std::string report_as_text() {
    Report report;
    report.machine.topology = make_topology("ring:6");
    report.root = 0;
    report.collective.packet_bytes = 64;
    report.algorithm = "flooding";
    report.rule = "to all that have not delivered";
    report.per_round = true;
    Machine& machine = report.machine;
    machine.ports = PortLimit::all();
    Collective collective;
    RunOptions options;
    options.threads = 1;
    options.per_round = true;
    report.verdict =
        run_algorithm(algorithm_named("flooding", machine, collective, {}), machine, collective, {}, {}, options)
            .verdict;
    return text_report(report, Paint(false));
}

/// A wrong topology is refused with the one that was meant, which is tried.
std::string misspelt_topology() {
    try {
        (void)make_topology("mesh:4,5");
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

std::string command_line() {
    const std::vector<const char*> words = {"kport",    "run",         "reduce",   "--on", "mesh:2x3", "--op", "max",
                                            "--values", "3,1,4,0,2,0", "--source", "1,1",  "--ports",  "2"};
    const Experiment experiment =
        requests::experiment_of(requests::read_command_line(static_cast<int>(words.size()), words.data(), usual_width));
    return again(experiment, "x");
}

class Allocation : public testing::TestWithParam<Work> {};

void fail_each_in_turn(const Work& work, Fails fails) {
    const auto& job = work.job;
    const std::string wanted = job();
    const std::uint64_t step = std::getenv("KPORT_EVERY_ALLOCATION") != nullptr ? 1 : work.step;
    for (std::uint64_t n = 1;; n += step) {
        std::string got;
        fail_allocation(n, fails);
        try {
            got = job();
        } catch (const std::bad_alloc&) {
        } catch (...) {
            stop_failing();
            ADD_FAILURE() << "allocation " << n << " failed, and something else came out";
            return;
        }
        const bool failed = stop_failing();
        // A failure without a report did no harm: std::stable_sort, for one, works without its buffer.
        ASSERT_TRUE(got.empty() ? failed : got == wanted) << "allocation " << n << ": " << got;
        if (!failed) return;
        ASSERT_EQ(job(), wanted) << "after allocation " << n;
    }
}

TEST_P(Allocation, ThatFailsOnceLosesNothing) { fail_each_in_turn(GetParam(), Fails::once); }
TEST_P(Allocation, ThatFailsFromThereOnLosesNothing) { fail_each_in_turn(GetParam(), Fails::from_there_on); }

INSTANTIATE_TEST_SUITE_P(
    InTurn, Allocation,
    testing::Values(running("broadcast", {"hypercube:3", Operation::broadcast, "sbt"}),
                    running("broadcast_contended", {"mesh:3x3", Operation::broadcast, "controlled-flooding"}),
                    running("scatter", {"hypercube:3", Operation::scatter, "sbt"}),
                    running("gather_reversed", {"line:4", Operation::gather, "dost"}),
                    running("reduce_reversed", {"hypercube:2", Operation::reduce, "sbt"}),
                    running("allreduce", {"hypercube:2", Operation::allreduce, "exchange"}),
                    running("alltoall", {"hypercube:2", Operation::alltoall, "exchange"}),
                    running("broadcast_by_timetable",
                            {"line:4", Operation::broadcast, "chain", EngineKind::lockstep, 3}),
                    running("reduce_scatter_by_relay", {"ring:4", Operation::reduce_scatter, "ring"}),
                    running("scan_by_exchange", {"hypercube:2", Operation::scan, "exchange"}),
                    running("broadcast_free", {"hypercube:3", Operation::broadcast, "sbt", EngineKind::free}),
                    running("alltoall_free", {"hypercube:2", Operation::alltoall, "exchange", EngineKind::free}),
                    running("reduce_free", {"hypercube:2", Operation::reduce, "sbt", EngineKind::free}),
                    Work{"packets_in_an_index", packets_in_an_index}, Work{"schedule_and_back", schedule_and_back},
                    Work{"misspelt_topology", misspelt_topology}, Work{"report_as_text", report_as_text},
                    Work{"command_line", command_line, 41}),
    [](const testing::TestParamInfo<Work>& at) { return at.param.name; });

}  // namespace
}  // namespace kport::test
