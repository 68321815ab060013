/// @file movements_test.cpp   Schedules as movements of threads: every algorithm, moved by one thread in every order that needs allow.
#include "bindings/shm/movements.hpp"

#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session/run.hpp"

namespace kport::test {
namespace {

using shm::compiled;
using shm::Movement;
using shm::Movements;
using shm::Place;
using shm::Space;

/// What a place holds: packets or contributions, each as often as it went in.
using Content = std::multiset<std::pair<unsigned, std::uint32_t>>;

/// Moves in an order drawn among those that needs allow. A place that is written while a reader has not ended shows in the contents.
class Machinery {
  public:
    Machinery(const Movements& movements, bool in_place) : movements_(movements), in_place_(in_place) {}

    Content& at(unsigned rank, Place place) {
        if (in_place_ && place.space == Space::taken) place.space = Space::given;
        return contents_[{rank, static_cast<int>(place.space), place.piece}];
    }

    /// Returns whether all threads came to their ends.
    bool runs(std::mt19937& random) {
        std::vector<std::uint32_t> ended(movements_.of.size(), 0);
        for (;;) {
            std::vector<unsigned> ready;
            bool all = true;
            for (unsigned rank = 0; rank < ended.size(); ++rank) {
                if (ended[rank] == movements_.of[rank].size()) continue;
                all = false;
                const Movement& next = movements_.of[rank][ended[rank]];
                if (std::ranges::all_of(next.needs,
                                        [&](const shm::Need& need) { return ended[need.rank] >= need.ended; }))
                    ready.push_back(rank);
            }
            if (all || ready.empty()) return all;
            const unsigned rank = ready[random() % ready.size()];
            const Movement& movement = movements_.of[rank][ended[rank]++];
            Content folded;
            for (const shm::Location& source : movement.from) folded.merge(Content(at(source.rank, source.place)));
            if (!movement.from.empty()) at(rank, movement.to) = folded;
            for (const shm::Location& other : movement.also) at(other.rank, other.place) = folded;
        }
    }

  private:
    const Movements& movements_;
    bool in_place_;
    std::map<std::tuple<unsigned, int, std::uint32_t>, Content> contents_;
};

struct Asked {
    Operation operation;
    unsigned threads;
    unsigned root;
    std::uint64_t pieces;
};

Experiment experiment_of(const Asked& asked) {
    Experiment e;
    e.machine.topology = make_topology(fmt::format("complete:{}", asked.threads));
    e.machine.ports = PortLimit(no_port, 1);
    e.collective = Collective::of(asked.operation, asked.root, asked.operation.signals() ? 0 : 8);
    e.collective.packets_each = asked.pieces;
    e.payload = false;
    e.threads = 1;
    return e;
}

/// What a thread gives in each piece, and what must be in each piece that it takes.
void expect_delivery(const Asked& asked, const Movements& movements, std::mt19937& random) {
    const Operation& op = asked.operation;
    Machinery threads(movements, op == Operation::allreduce);
    const auto n = asked.threads;
    const bool has_parts = op == Operation::scatter || op == Operation::alltoall || op == Operation::reduce_scatter;
    const std::uint32_t given = has_parts ? n : static_cast<std::uint32_t>(asked.pieces);
    for (unsigned rank = 0; rank < n; ++rank)
        for (std::uint32_t piece = 0; piece < given; ++piece) {
            const Space space = op == Operation::broadcast ? Space::taken : Space::given;
            const bool gives = !(op == Operation::broadcast || op == Operation::scatter) || rank == asked.root;
            if (gives) threads.at(rank, {space, piece}) = {{rank, piece}};
        }
    ASSERT_TRUE(threads.runs(random));
    const auto all_of = [n](std::uint32_t piece) {
        Content content;
        for (unsigned v = 0; v < n; ++v) content.insert({v, piece});
        return content;
    };
    for (unsigned rank = 0; rank < n; ++rank) {
        if (op == Operation::reduce_scatter) {
            EXPECT_EQ(threads.at(rank, {Space::taken, 0}), all_of(rank));
        } else if (op == Operation::allreduce || (op == Operation::reduce && rank == asked.root)) {
            for (std::uint32_t piece = 0; piece < asked.pieces; ++piece)
                EXPECT_EQ(threads.at(rank, {Space::taken, piece}), all_of(piece));
        } else if (op == Operation::broadcast) {
            for (std::uint32_t piece = 0; piece < asked.pieces; ++piece)
                EXPECT_EQ(threads.at(rank, {Space::taken, piece}), (Content{{asked.root, piece}}));
        } else if (op == Operation::scatter) {
            EXPECT_EQ(threads.at(rank, {Space::taken, 0}), (Content{{asked.root, rank}}));
        } else if (op == Operation::alltoall || op == Operation::allgather ||
                   (op == Operation::gather && rank == asked.root)) {
            for (unsigned v = 0; v < n; ++v)
                EXPECT_EQ(threads.at(rank, {Space::taken, v}), (Content{{v, op == Operation::alltoall ? rank : 0}}));
        }
    }
}

class EveryAlgorithmAmongThreads : public testing::TestWithParam<Operation> {};

TEST_P(EveryAlgorithmAmongThreads, MovesAsItsScheduleSaysInEveryOrderOfTheThreads) {
    std::mt19937 random(7);
    unsigned followed = 0;
    for (unsigned threads = 2; threads <= 9; ++threads)
        for (const std::uint64_t pieces : {std::uint64_t{1}, std::uint64_t{threads}}) {
            const Operation& operation = GetParam();
            if (pieces != 1 && !shm::has_vector(operation)) continue;
            const Asked asked{operation, threads, operation.rooted() ? threads / 2 : 0, pieces};
            const Experiment e = experiment_of(asked);
            for (const Algorithm& algorithm : catalogue()) {
                if (algorithm.operation != operation || misfit_of(algorithm, e.machine, e.collective, e.options))
                    continue;
                Schedule schedule;
                Caller caller;
                caller.recorded_schedule = &schedule;
                Chosen chosen{e, &algorithm, std::nullopt, {}, false};
                if (run(chosen, caller).ending != Ending::lawful) continue;
                const std::optional<Movements> movements = compiled(schedule, e.collective, threads);
                if (!movements) continue;
                ++followed;
                SCOPED_TRACE(
                    fmt::format("{} {}, {} threads, {} pieces", name(operation), algorithm.name, threads, pieces));
                for (unsigned draw = 0; draw < 5; ++draw) {
                    expect_delivery(asked, *movements, random);
                    if (HasFatalFailure()) return;
                }
            }
        }
    EXPECT_GE(followed, 8U * (GetParam() == Operation::barrier ? 1 : 2));
}
INSTANTIATE_TEST_SUITE_P(Operations, EveryAlgorithmAmongThreads,
                         testing::Values(Operation::broadcast, Operation::scatter, Operation::gather, Operation::reduce,
                                         Operation::allreduce, Operation::allgather, Operation::alltoall,
                                         Operation::reduce_scatter, Operation::barrier),
                         [](const auto& test) {
                             std::string text(name(test.param));
                             std::ranges::replace(text, '-', '_');
                             return text;
                         });

/// A message of contributions to the only segment.
void add(Schedule& schedule, Round round, NodeId from, NodeId to, std::uint32_t first, std::uint32_t count) {
    const std::array<Port, 1> route{0};
    const std::array<PacketBlock, 1> packets{PacketBlock{first, 1, count}};
    schedule.add(round, {from, to, route, packets});
}

TEST(ASchedule, ThatSendsAValueAloneAfterFoldingItIsNotFollowed) {
    Schedule schedule;
    add(schedule, 1, 1, 2, 1, 1);
    add(schedule, 2, 2, 0, 1, 2);
    EXPECT_TRUE(compiled(schedule, Collective::reduce(0, 8), 3).has_value());
    add(schedule, 3, 2, 1, 2, 1);
    EXPECT_FALSE(compiled(schedule, Collective::reduce(0, 8), 3).has_value());
}

TEST(AnAllreduce, IsWrittenToAllThreadsByTheOneThatFoldsIt) {
    // Segment s is folded at thread s and sent to the other one.
    Schedule schedule;
    const std::array<Port, 1> route{0};
    const auto send = [&](Round round, NodeId from, std::uint32_t segment, std::uint32_t column) {
        const std::array<PacketBlock, 1> packets{PacketBlock{column, 1, 1, segment}};
        schedule.add(round, {from, 1 - from, route, packets});
    };
    send(1, 0, 1, 0);
    send(1, 1, 0, 1);
    send(2, 0, 0, 2);
    send(2, 1, 1, 2);
    Collective collective = Collective::allreduce(8);
    collective.packets_each = 2;
    const std::optional<Movements> movements = compiled(schedule, collective, 2);
    ASSERT_TRUE(movements.has_value());
    for (unsigned rank = 0; rank < 2; ++rank) {
        const Movement& folding = movements->of[rank].front();
        EXPECT_EQ(folding.from.size(), 2);
        ASSERT_EQ(folding.also.size(), 1);
        EXPECT_EQ(folding.also.front().rank, 1 - rank);
        EXPECT_EQ(folding.also.front().place, folding.to);
        for (const Movement& movement : movements->of[rank]) EXPECT_NE(movement.from.size(), 1) << "a copy";
    }
}

TEST(ASchedule, WhoseResultsStandInDifferentBracketsIsNotFollowed) {
    // Thread 0 folds (0 1) 2, thread 2 folds 0 (1 2); both are the sum of all.
    Schedule schedule;
    add(schedule, 1, 0, 1, 0, 1);
    add(schedule, 1, 1, 2, 1, 1);
    add(schedule, 2, 1, 0, 1, 1);
    add(schedule, 2, 2, 1, 2, 1);
    add(schedule, 3, 2, 0, 2, 1);
    EXPECT_FALSE(compiled(schedule, Collective::allreduce(8), 3).has_value());
}

}  // namespace
}  // namespace kport::test
