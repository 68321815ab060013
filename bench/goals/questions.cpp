#include "bench/goals/questions.hpp"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "bench/broadcast/contenders.hpp"
#include "bench/collectives/contenders.hpp"
#include "bench/free/contenders.hpp"
#include "bench/replay/contenders.hpp"
#include "bench/yardsticks/bare_coroutines.hpp"
#include "bench/yardsticks/bare_loop.hpp"

namespace kport::bench {

namespace {

Goal at_most(double times, std::string other) { return {Goal::Kind::times_other_at_most, times, std::move(other)}; }
Goal speedup(double times, std::string other) { return {Goal::Kind::speedup_at_least, times, std::move(other)}; }

Question sbt_question(int n) {
    const std::string all_port = "kport all-port, 1 thread";
    const std::string one_port = "kport 1-port, 1 thread";
    const std::string coroutines = "bare coroutines";
    return {fmt::format("SBT broadcast on hypercube:{}, 8 bytes copied, audited", n),
            {{"bare loop, all-port order", [n] { return bare_loop_sbt_all_port(n); }, {}},
             {"bare loop, 1-port order", [n] { return bare_loop_sbt_1_port(n); }, {}},
             {coroutines, [n] { return bare_coroutines_sbt(n); }, {}},
             {all_port, [n] { return kport_sbt(n, PortLimit::all(), 1); }, at_most(0.45, coroutines)},
             {"kport all-port, 2 threads", [n] { return kport_sbt(n, PortLimit::all(), 2); }, speedup(1.6, all_port)},
             {one_port, [n] { return kport_sbt(n, PortLimit(1), 1); }, at_most(0.55, coroutines)},
             {"kport 1-port, 2 threads", [n] { return kport_sbt(n, PortLimit(1), 2); }, speedup(1.6, one_port)},
             {"own program, all-port", [n] { return kport_own_sbt(n, PortLimit::all(), 1); }, at_most(0.6, coroutines)},
             {"own program, 1-port", [n] { return kport_own_sbt(n, PortLimit(1), 1); }, at_most(0.6, coroutines)}}};
}

Question line_question(NodeId nodes) {
    const std::string coroutines = "bare coroutines";
    return {fmt::format("line:{}, 1-port: a million rounds of one message at full size", nodes),
            {{"bare loop", [=] { return bare_loop_line(nodes); }, {}},
             {coroutines, [=] { return bare_coroutines_line(nodes); }, {}},
             {"kport, 1 thread", [=] { return kport_line(nodes, 1); }, at_most(0.8, coroutines)},
             {"kport, 2 threads", [=] { return kport_line(nodes, 2); }, at_most(0.8, coroutines)},
             {"own program, 1 thread", [=] { return kport_own_line(nodes, 1); }, {}}}};
}

Question free_question(int n) {
    const std::string one_thread = "free, 1 thread";
    return {fmt::format("SBT broadcast on hypercube:{}, all-port, free-running: programs alone", n),
            {{one_thread, [n] { return free_sbt(n, 1); }, {}},
             {"free, 2 threads", [n] { return free_sbt(n, 2); }, speedup(1.7, one_thread)}}};
}

Question deep_question(NodeId nodes) {
    const std::string lockstep = "lockstep, own program, 1 thread";
    const std::string parts = "spsc_queue and one task";
    return {fmt::format("line:{}, free-running: deep and narrow, programs alone", nodes),
            {{parts, [=] { return queue_and_task(nodes); }, {}},
             {lockstep, [=] { return kport_own_line(nodes, 1); }, {}},
             {"free, 1 thread", [=] { return free_line(nodes, 1); }, at_most(1.0, parts)},
             {"free, 2 threads", [=] { return free_line(nodes, 2); }, at_most(1.0, lockstep)}}};
}

Question hop_question(std::uint64_t messages) {
    const std::string line = "one cache line, one way";
    return {"a hop of 8 bytes between two nodes, free-running",
            {{line, [=] { return cache_line_to_and_fro(messages); }, {}},
             {"free, 1 thread", [=] { return free_to_and_fro(messages, 1); }, at_most(3, line)},
             {"free, 2 threads", [=] { return free_to_and_fro(messages, 2); }, at_most(3, line)}}};
}

Question growth_question(const std::string& machine, PortLimit ports, const std::vector<int>& sizes) {
    Question question{fmt::format("growth of the cost of a message, SBT, {}, 1 thread", machine), {}, 5};
    for (const int n : sizes)
        question.rows.push_back(
            {fmt::format("hypercube:{}", n), [=] { return kport_sbt(n, ports, 1); },
             n == sizes.back() ? at_most(2.5, fmt::format("hypercube:{}", sizes.front())) : Goal{}});
    return question;
}

/// A question for each size: a large run after other large ones would wait for its memory.
Question packets_question(int n, std::uint64_t packets, int n_of_one, Payload payload, std::uint64_t bytes) {
    const std::string size = payload == Payload::none ? "no payload" : fmt::format("{} bytes", bytes);
    const std::string one = fmt::format("one packet, SBT, hypercube:{}", n_of_one);
    return {fmt::format("broadcast of {} packets by msbt, hypercube:{}, 1-port, {}, audited", packets, n, size),
            {{one, [=] { return kport_sbt(n_of_one, PortLimit(1), 1, payload, bytes); }, {}},
             {"msbt", [=] { return kport_msbt(n, packets, 1, payload, bytes); }, at_most(1.5, one)}},
            9};
}

Question exchange_question(int n) {
    const std::string coroutines = "bare coroutines, SBT";
    const std::string allreduce = "allreduce, 1 thread";
    const std::string scan = "scan, 1 thread";
    return {fmt::format("exchange of one 8-byte element on hypercube:{}, audited", n),
            {{"bare loop", [n] { return bare_loop_exchange(n); }, {}},
             {"bare coroutines", [n] { return bare_coroutines_exchange(n); }, {}},
             {coroutines, [n] { return bare_coroutines_sbt(n); }, {}},
             {allreduce, [n] { return kport_allreduce_exchange(n, 1); }, at_most(0.3, coroutines)},
             {"allreduce, 2 threads", [n] { return kport_allreduce_exchange(n, 2); }, speedup(1.85, allreduce)},
             {scan, [n] { return kport_scan_exchange(n, 1); }, at_most(0.3, coroutines)},
             {"scan, 2 threads", [n] { return kport_scan_exchange(n, 2); }, speedup(1.85, scan)}},
            3};
}

Question scatter_question(int n) {
    const std::string copies = "memcpy of every bundle";
    return {fmt::format("scatter sbt on hypercube:{}, 64-byte packets, audited", n),
            {{copies, [n] { return memcpy_scatter_sbt(n); }, {}},
             {"kport, 1 thread", [n] { return kport_scatter_sbt(n, 1); }, at_most(1.8, copies)},
             {"kport, 2 threads", [n] { return kport_scatter_sbt(n, 2); }, at_most(1.8, copies)}},
            5};
}

Question alltoall_question(int n, NodeId ring) {
    const double held = static_cast<double>(std::uint64_t{8} << n);
    const std::string written = fmt::format("hypercube:{}: held, written once", n);
    return {"alltoall with 8-byte packets, audited",
            {{written, [n] { return memcpy_alltoall(NodeId{1} << n); }, {}},
             {fmt::format("exchange, hypercube:{}", n),
              [n] { return kport_alltoall_exchange(n, 1); },
              {Goal::Kind::bytes_a_node_at_most, 3 * held, ""}},
             {fmt::format("ring, ring:{}", ring), [ring] { return kport_alltoall_ring(ring, 1); }, {}}},
            3};
}

Question replay_question(int n) {
    const std::string all_port = "bare loop, all-port order";
    const std::string one_port = "bare loop, 1-port order";
    return {fmt::format("replay for its data movement alone, SBT, hypercube:{}, 8 bytes, set-up excluded", n),
            {{all_port, [n] { return bare_loop_again_all_port(n); }, {}},
             {one_port, [n] { return bare_loop_again_1_port(n); }, {}},
             {"replay, all-port, 1 thread", [n] { return replay_sbt(n, PortLimit::all(), 1); }, at_most(8, all_port)},
             {"replay, 1-port, 1 thread", [n] { return replay_sbt(n, PortLimit(1), 1); }, at_most(8, one_port)},
             {"replay, 1-port, 2 threads", [n] { return replay_sbt(n, PortLimit(1), 2); }, at_most(8, one_port)}}};
}

Question payload_question(const std::string& operation, int n, std::uint64_t bytes) {
    Question question{
        fmt::format("replay of {} sbt, hypercube:{}, packets of {} KiB, set-up excluded", operation, n, bytes / 1024),
        {}};
    for (const unsigned threads : {1U, 2U}) {
        const std::string memcpy_row = fmt::format("memcpy, {} thread{}", threads, threads == 1 ? "" : "s");
        question.rows.push_back({memcpy_row, [=] { return memcpy_sbt(operation, n, bytes, threads); }, {}});
        question.rows.push_back({fmt::format("replay, {} thread{}", threads, threads == 1 ? "" : "s"),
                                 [=] { return replay_sbt_payload(operation, n, bytes, threads); },
                                 at_most(1.25, memcpy_row)});
    }
    return question;
}

Question memory_question(int n, const std::string& machine, PortLimit ports, Goal goal) {
    return {fmt::format("memory: SBT on hypercube:{}, {}, payload none", n, machine),
            {{"kport, 2 threads", [=] { return kport_sbt(n, ports, 2, Payload::none); }, std::move(goal)}},
            1};
}

}  // namespace

std::vector<Question> questions_of_goals(bool large) {
    const bool small = tiny();
    const std::vector<int> sizes = small ? std::vector{4, 6} : std::vector{10, 12, 14, 16, 18, 20, 22, 24};
    std::vector<Question> all;
    all.push_back(sbt_question(small ? 6 : 20));
    all.push_back(line_question(small ? 64 : 1048576));
    all.push_back(free_question(small ? 6 : 20));
    all.push_back(deep_question(small ? 64 : 1048576));
    all.push_back(hop_question(small ? 64 : 1'000'000));
    all.push_back(growth_question("all-port", PortLimit::all(), sizes));
    all.push_back(growth_question("1-port", PortLimit(1), sizes));
    for (const auto& [payload, bytes] :
         {std::pair(Payload::none, 8), std::pair(Payload::copied, 8), std::pair(Payload::copied, 64)})
        all.push_back(packets_question(small ? 4 : 16, small ? 16 : 256, small ? 6 : 22, payload,
                                       static_cast<std::uint64_t>(bytes)));
    all.push_back(exchange_question(small ? 6 : 20));
    all.push_back(scatter_question(small ? 6 : 20));
    all.push_back(alltoall_question(small ? 4 : 12, small ? 16 : 1024));
    all.push_back(replay_question(small ? 6 : 20));
    const std::uint64_t mebibyte = small ? 4096 : 1 << 20;
    for (const auto& [n, bytes] :
         {std::pair(4, mebibyte), std::pair(4, 4 * mebibyte), std::pair(6, mebibyte), std::pair(6, 4 * mebibyte)})
        for (const std::string operation : {"broadcast", "scatter"})
            all.push_back(payload_question(operation, n, bytes));
    const Goal within{Goal::Kind::gibibytes_at_most, 20, ""};
    const auto bytes = [](double most) { return Goal{Goal::Kind::bytes_a_node_at_most, most, ""}; };
    all.push_back(memory_question(small ? 6 : 24, "all-port", PortLimit::all(), bytes(28)));
    all.push_back(memory_question(small ? 6 : 24, "1-port", PortLimit(1), bytes(64)));
    if (!large) return all;
    all.push_back(memory_question(27, "all-port", PortLimit::all(), within));
    all.push_back(memory_question(27, "1-port", PortLimit(1), within));
    all.push_back(memory_question(28, "1-port", PortLimit(1), within));
    return all;
}

}  // namespace kport::bench
