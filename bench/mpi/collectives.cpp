/// @file collectives.cpp   MPI's own collective operations, timed as `kport bench` times kport's.
///
///     mpirun -n RANKS collectives SECONDS OPERATION:BYTES...
///
/// measures each cell for about SECONDS and prints a line of JSON for it. BYTES is one packet's payload, as in kport: what
/// every rank receives in a broadcast or a scatter, what every rank contributes in a gather or a reduction (of numbers of 8
/// bytes), one block in a reduce-scatter, what each rank has for each other one in an alltoall, what each rank hands to the
/// next one in a permutation. A barrier has no bytes: it takes any. The time of an operation is that of its slowest rank,
/// from the end of the barrier before it. Status 1 if a byte is wrong, 2 if an argument is.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/chip/sampling.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

/// The data of one rank in one cell.
struct Place {
    int rank = 0;
    int ranks = 1;
    int bytes = 0;
    Bytes sent;
    Bytes received;

    [[nodiscard]] int numbers() const { return bytes / 8; }
};

// ---- the payload ----------------------------------------------------------------------------------------------------

unsigned char pattern(int from, int to, int i) {
    const auto word = static_cast<std::uint32_t>(i) * 2654435761U + static_cast<std::uint32_t>(from) * 40503U +
                      static_cast<std::uint32_t>(to) * 9973U;
    return static_cast<unsigned char>(word >> 16U);
}

/// The packets from one rank to so many, one after the other; to rank 0 alone where all receive the same.
Bytes packets(const Place& here, int from, int parts) {
    Bytes all(static_cast<std::size_t>(here.bytes) * static_cast<std::size_t>(parts));
    for (int part = 0; part < parts; ++part)
        for (int i = 0; i < here.bytes; ++i)
            all[static_cast<std::size_t>(part) * static_cast<std::size_t>(here.bytes) + static_cast<std::size_t>(i)] =
                pattern(from, part, i);
    return all;
}

/// The packets to one rank from so many.
Bytes packets_to(const Place& here, int to, int parts) {
    Bytes all;
    for (int from = 0; from < parts; ++from)
        for (int i = 0; i < here.bytes; ++i) all.push_back(pattern(from, to, i));
    return all;
}

/// A multiple of so many blocks of rank 0's contribution, from the first one given on: rank k contributes k + 1 times as much.
Bytes numbers(const Place& here, std::int64_t times, int first = 0, int blocks = 1) {
    Bytes all(static_cast<std::size_t>(here.bytes) * static_cast<std::size_t>(blocks));
    const std::int64_t before = std::int64_t{first} * here.numbers();
    const std::int64_t count = std::int64_t{blocks} * here.numbers();
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t value = times * (before + i + 1);
        std::copy_n(reinterpret_cast<const unsigned char*>(&value), sizeof value, all.begin() + i * 8);
    }
    return all;
}

std::int64_t sum_to(std::int64_t n) { return n * (n + 1) / 2; }

// ---- the operations -------------------------------------------------------------------------------------------------

struct Operation {
    std::string_view name;
    Bytes (*sent)(const Place&);      ///< a rank's data at the beginning
    Bytes (*received)(const Place&);  ///< a rank's expected data at the end
    void (*run)(Place&);
};

const Bytes nothing;

const std::array operations = {
    Operation{"broadcast",  // MPI has one buffer for both
              [](const Place& p) { return p.rank == 0 ? packets(p, 0, 1) : nothing; },
              [](const Place& p) { return packets(p, 0, 1); },
              [](Place& p) {
                  Bytes& buffer = p.rank == 0 ? p.sent : p.received;
                  MPI_Bcast(buffer.data(), p.bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
              }},
    Operation{"scatter", [](const Place& p) { return p.rank == 0 ? packets(p, 0, p.ranks) : nothing; },
              [](const Place& p) { return packets_to(p, p.rank, 1); },
              [](Place& p) {
                  MPI_Scatter(p.sent.data(), p.bytes, MPI_BYTE, p.received.data(), p.bytes, MPI_BYTE, 0,
                              MPI_COMM_WORLD);
              }},
    Operation{"gather", [](const Place& p) { return packets(p, p.rank, 1); },
              [](const Place& p) { return p.rank == 0 ? packets_to(p, 0, p.ranks) : nothing; },
              [](Place& p) {
                  MPI_Gather(p.sent.data(), p.bytes, MPI_BYTE, p.received.data(), p.bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
              }},
    Operation{"reduce", [](const Place& p) { return numbers(p, p.rank + 1); },
              [](const Place& p) { return p.rank == 0 ? numbers(p, sum_to(p.ranks)) : nothing; },
              [](Place& p) {
                  MPI_Reduce(p.sent.data(), p.received.data(), p.numbers(), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
              }},
    Operation{"allreduce", [](const Place& p) { return numbers(p, p.rank + 1); },
              [](const Place& p) { return numbers(p, sum_to(p.ranks)); },
              [](Place& p) {
                  MPI_Allreduce(p.sent.data(), p.received.data(), p.numbers(), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
              }},
    Operation{"scan", [](const Place& p) { return numbers(p, p.rank + 1); },
              [](const Place& p) { return numbers(p, sum_to(p.rank + 1)); },
              [](Place& p) {
                  MPI_Scan(p.sent.data(), p.received.data(), p.numbers(), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
              }},
    Operation{"allgather", [](const Place& p) { return packets(p, p.rank, 1); },
              [](const Place& p) { return packets_to(p, 0, p.ranks); },
              [](Place& p) {
                  MPI_Allgather(p.sent.data(), p.bytes, MPI_BYTE, p.received.data(), p.bytes, MPI_BYTE, MPI_COMM_WORLD);
              }},
    Operation{"alltoall", [](const Place& p) { return packets(p, p.rank, p.ranks); },
              [](const Place& p) { return packets_to(p, p.rank, p.ranks); },
              [](Place& p) {
                  MPI_Alltoall(p.sent.data(), p.bytes, MPI_BYTE, p.received.data(), p.bytes, MPI_BYTE, MPI_COMM_WORLD);
              }},
    Operation{"reduce-scatter", [](const Place& p) { return numbers(p, p.rank + 1, 0, p.ranks); },
              [](const Place& p) { return numbers(p, sum_to(p.ranks), p.rank); },
              [](Place& p) {
                  MPI_Reduce_scatter_block(p.sent.data(), p.received.data(), p.numbers(), MPI_INT64_T, MPI_SUM,
                                           MPI_COMM_WORLD);
              }},
    Operation{"permutation",  // by one rank, kport's default
              [](const Place& p) { return packets(p, p.rank, 1); },
              [](const Place& p) { return packets(p, (p.rank + p.ranks - 1) % p.ranks, 1); },
              [](Place& p) {
                  MPI_Sendrecv(p.sent.data(), p.bytes, MPI_BYTE, (p.rank + 1) % p.ranks, 0, p.received.data(), p.bytes,
                               MPI_BYTE, (p.rank + p.ranks - 1) % p.ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
              }},
    Operation{"barrier", [](const Place&) { return nothing; }, [](const Place&) { return nothing; },
              [](Place&) { MPI_Barrier(MPI_COMM_WORLD); }},
};

// ---- a cell ---------------------------------------------------------------------------------------------------------

/// Runs the operation once from cleared buffers. True if every rank has its expected data.
bool correct(const Operation& operation, Place& here) {
    here.sent = operation.sent(here);
    const Bytes wanted = operation.received(here);
    here.received.assign(wanted.size(), 0);
    operation.run(here);
    const bool sends_in_place = operation.name == "broadcast" && here.rank == 0;
    int right = (sends_in_place ? here.sent : here.received) == wanted ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return right == 1;
}

/// The ns of each repetition on its slowest rank; the same on all ranks.
std::vector<double> times(const Operation& operation, Place& here, int repetitions) {
    std::vector<double> ns(static_cast<std::size_t>(repetitions));
    for (double& one : ns) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        operation.run(here);
        one = (MPI_Wtime() - start) * 1e9;
    }
    MPI_Allreduce(MPI_IN_PLACE, ns.data(), repetitions, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return ns;
}

/// As many repetitions as fit into the time, barriers included, from 7 to 2000. They come in groups, and rank 0 decides after
/// each whether another fits: so a single disturbance does not use up all of the time.
std::vector<double> times_within(const Operation& operation, Place& here, double seconds) {
    constexpr std::size_t most = 2000;
    constexpr int group = 7;
    (void)times(operation, here, group);  // warm-up
    const double start = MPI_Wtime();
    std::vector<double> ns;
    int more = 1;
    while (more == 1) {
        const std::vector<double> some = times(operation, here, group);
        ns.insert(ns.end(), some.begin(), some.end());
        more = ns.size() < most && MPI_Wtime() - start < seconds ? 1 : 0;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return ns;
}

bool measure(const Operation& operation, Place& here, double seconds) {
    if (!correct(operation, here)) {
        if (here.rank == 0) fmt::print(stderr, "collectives: wrong bytes after {}\n", operation.name);
        return false;
    }
    const auto ns = kport::chip::statistics_of(times_within(operation, here, seconds));
    if (here.rank == 0) {
        fmt::print(R"({{"operation": "{}", "nodes": {}, "bytes": {}, "samples": {}, "ns": {:.1f}, "low": {:.1f}, )"
                   R"("high": {:.1f}, "coverage": {:.4f}, "least": {:.1f}}})"
                   "\n",
                   operation.name, here.ranks, here.bytes, ns.count, ns.median, ns.low, ns.high, ns.coverage, ns.least);
        std::fflush(stdout);
    }
    return true;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    if (error != std::errc() || end != text.end() || number <= 0) return std::nullopt;
    return number;
}

/// "broadcast:8"
struct Cell {
    const Operation* operation = nullptr;
    int bytes = 0;
};
std::optional<Cell> cell_of(std::string_view word) {
    const std::size_t colon = std::min(word.find(':'), word.size());
    const auto* const found = std::find_if(operations.begin(), operations.end(),
                                           [&](const Operation& one) { return one.name == word.substr(0, colon); });
    if (found == operations.end() || colon == word.size()) return std::nullopt;
    const auto bytes = number_of<int>(word.substr(colon + 1));
    if (!bytes || *bytes % 8 != 0) return std::nullopt;
    return Cell{found, *bytes};
}

int measure_all(int argc, char** argv) {
    Place here;
    MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &here.ranks);
    const auto seconds = argc > 1 ? number_of<double>(argv[1]) : std::nullopt;
    if (!seconds) {
        if (here.rank == 0) fmt::print(stderr, "usage: collectives SECONDS OPERATION:BYTES...\n");
        return 2;
    }
    for (int i = 2; i < argc; ++i) {
        const auto cell = cell_of(argv[i]);
        if (!cell) {
            if (here.rank == 0)
                fmt::print(stderr, "collectives: '{}' is no cell; want one such as broadcast:64\n", argv[i]);
            return 2;
        }
        here.bytes = cell->bytes;
        if (!measure(*cell->operation, here, *seconds)) return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int status = measure_all(argc, argv);
    MPI_Finalize();
    return status;
}
