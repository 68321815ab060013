/// @file shm.cpp   What do collectives among threads cost, beside the loop that everybody writes and beside memcpy?
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "bindings/shm/group.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using kport::shm::Group;

bool is_tiny() { return std::getenv("KPORT_BENCH_TINY") != nullptr; }

/// What each thread has; all of one size.
struct Buffers {
    Buffers(unsigned threads, std::size_t doubles) : of(threads, std::vector<double>(doubles, 1.0)) {}
    std::vector<std::vector<double>> of;
};

/// The microseconds of one call, the least of several turns, each of `times` calls by all threads. Before each call every thread writes its
/// data, as a program does, so that what others have of it must move.
double least(Buffers& data, int times, const std::function<void(unsigned)>& call) {
    const auto threads = static_cast<int>(data.of.size());
    double best = 0;
    for (int turn = 0; turn < (is_tiny() ? 1 : 5); ++turn) {
        std::chrono::duration<double, std::micro> took{};
#pragma omp parallel num_threads(threads)
        {
            const auto rank = static_cast<unsigned>(omp_get_thread_num());
            call(rank);
            std::chrono::duration<double, std::micro> own{};
            for (int i = 0; i < times; ++i) {
                std::ranges::fill(data.of[rank], 1.0 + i);
#pragma omp barrier
                const auto from = Clock::now();
                call(rank);
                own += Clock::now() - from;
            }
            if (rank == 0) took = own;
        }
        best = turn == 0 ? took.count() : std::min(best, took.count());
    }
    return best / times;
}

struct Question {
    const char* name;
    double copies;  ///< bytes of a thread's buffer that each thread must move, as a share of it
    std::function<void(Group&, Buffers&, Buffers&, unsigned rank)> group;
    std::function<void(Buffers&, Buffers&, unsigned rank, unsigned threads)>
        loop;  ///< the loop that everybody writes, in OpenMP
};

std::vector<Question> questions(unsigned threads) {
    const double rest = static_cast<double>(threads - 1) / threads;
    return {
        {"allreduce", 2 * rest,
         [](Group& group, Buffers& data, Buffers&, unsigned rank) { group.allreduce(rank, std::span(data.of[rank])); },
         [](Buffers& data, Buffers&, unsigned, unsigned) {
             const std::size_t size = data.of[0].size();
#pragma omp barrier
#pragma omp for schedule(static)
             for (std::size_t i = 0; i < size; ++i) {
                 double sum = 0;
                 for (const std::vector<double>& one : data.of) sum += one[i];
                 for (std::vector<double>& one : data.of) one[i] = sum;
             }
         }},
        {"broadcast", 1,
         [](Group& group, Buffers& data, Buffers&, unsigned rank) { group.broadcast(rank, std::span(data.of[rank])); },
         [](Buffers& data, Buffers&, unsigned rank, unsigned) {
#pragma omp barrier
             if (rank != 0) std::memcpy(data.of[rank].data(), data.of[0].data(), data.of[0].size() * sizeof(double));
#pragma omp barrier
         }},
        {"alltoall", rest,
         [](Group& group, Buffers& data, Buffers& taken, unsigned rank) {
             group.alltoall(rank, std::span(std::as_const(data.of[rank])), std::span(taken.of[rank]));
         },
         [](Buffers& data, Buffers& taken, unsigned rank, unsigned ranks) {
             const std::size_t part = data.of[0].size() / ranks;
#pragma omp barrier
             for (unsigned v = 0; v < ranks; ++v)
                 std::memcpy(taken.of[rank].data() + v * part, data.of[v].data() + rank * part, part * sizeof(double));
#pragma omp barrier
         }},
    };
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned cores = std::max(2U, std::thread::hardware_concurrency());
    const unsigned threads = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : std::min(cores, 16U);
    if (threads < 1 || threads > 64) {
        fmt::print(stderr, "shm: want a number of threads, 1 to 64\n");
        return EXIT_FAILURE;
    }
    omp_set_dynamic(0);
    fmt::print("{} threads on {} cores; microseconds a call, the least of 5 turns\n\n", threads, cores);
    fmt::print("{:<10} {:>12} {:>10} {:>10} {:>10} {:>10}  {}\n", "", "bytes", "shm", "OpenMP", "ratio", "memcpy",
               "follows");
    Group group(threads);
    for (const Question& question : questions(threads))
        for (std::size_t doubles = threads; doubles * sizeof(double) <= (is_tiny() ? 4096U : 64U << 20); doubles *= 8) {
            const std::size_t bytes = doubles * sizeof(double);
            const int times =
                static_cast<int>(std::clamp<std::size_t>((is_tiny() ? 1U << 12 : 1U << 26) / (bytes + 4096), 3, 5000));
            Buffers data(threads, doubles);
            Buffers taken(threads, doubles);
            // In turns, so that both see the same computer.
            const double ours = least(data, times, [&](unsigned rank) { question.group(group, data, taken, rank); });
            const double loop = least(data, times, [&](unsigned rank) { question.loop(data, taken, rank, threads); });
            const double copy = least(
                data, times, [&](unsigned rank) { std::memcpy(taken.of[rank].data(), data.of[rank].data(), bytes); });
            const kport::Operation operation = kport::operation_named(question.name);
            fmt::print("{:<10} {:>12} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f}  {}\n", question.name, bytes, ours, loop,
                       ours / loop, copy * question.copies,
                       group.algorithm(operation, operation == kport::Operation::alltoall ? bytes / threads : bytes));
        }
    return EXIT_SUCCESS;
}
