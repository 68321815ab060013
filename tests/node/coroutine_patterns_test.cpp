// The forms of statements in node programs, compiled by the present compiler and run by the real engine.
//
// g++ 12.2 destroys temporaries twice, or gives a coroutine too small a frame, when co_await stands inside a larger
// expression; the house habit is that it stands alone (tests/tidy). These tests show that the habit is safe: every value
// that lives across an await is counted, and ASan watches the same tests.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/engine/job.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {
namespace {

/// Owns memory and counts itself: a destructor too many or too few shows in alive, or in ASan.
class Tracked {
  public:
    explicit Tracked(std::string text) : text_(std::make_unique<std::string>(std::move(text))) { ++alive; }
    Tracked(const Tracked& other) : text_(std::make_unique<std::string>(other.text())) { ++alive; }
    Tracked(Tracked&& other) noexcept : text_(std::exchange(other.text_, nullptr)) { ++alive; }
    Tracked& operator=(Tracked other) noexcept {
        std::swap(text_, other.text_);
        return *this;
    }
    ~Tracked() { --alive; }

    [[nodiscard]] const std::string& text() const { return *text_; }

    static inline int alive = 0;

  private:
    std::unique_ptr<std::string> text_;
};

const std::string long_text = "long enough that no string keeps it inside itself";

/// Runs programs on a ring of four with all ports, on one thread, and wants nothing left alive afterwards.
class CoroutinePatterns : public testing::Test {
  protected:
    ~CoroutinePatterns() override { EXPECT_EQ(Tracked::alive, 0); }

    /// Every node starts with the program that the factory makes.
    void run(ProgramFactory factory) {
        Job job;
        job.machine.topology = make_topology("ring:4");
        job.machine.ports = PortLimit::all();
        job.program = std::move(factory);
        job.all_start = true;
        job.collective = collective;
        job.payload = false;
        result = run_lockstep(job, RunOptions{});
    }

    Collective collective = Collective::broadcast(0, 8);
    RunResult result;
    std::vector<std::string> told;  ///< what the programs of node 0 have to say
};

// ---- contents in the statement, small and named, while it waits for a port --------------------------------------------

Program send_contents(Node& self, std::array<int, 20> large, int small) {
    const std::array<int, 2> pair{small, small + 1};
    co_await self.send(0, Data(small));
    co_await self.send(0, Data(pair));  // waits for the next round, as the channel is taken
    co_await self.send(0, Data(large));
    co_await self.send_to(self.neighbour(0), Data(small + 2));
    for (int i = 0; i < 4; ++i) {
        const Arrival arrival = co_await self.receive(1);
        if (i == 0 && arrival.as<int>() != small) throw std::logic_error("the small one");
        if (i == 1 && arrival.as<std::array<int, 2>>() != pair) throw std::logic_error("the pair");
        if (i == 2 && arrival.as<std::array<int, 20>>() != large) throw std::logic_error("the large one");
        if (i == 3 && arrival.as<int>() != small + 2) throw std::logic_error("the last one");
    }
    co_await self.until(9);
    co_await self.send_along(self.neighbour(0), std::span<const Port>(), Data(small));
    co_await self.receive();
}

TEST_F(CoroutinePatterns, ContentsInTheStatementLiveUntilItIsOver) {
    collective = Collective::none();
    run([](Node& self) {
        std::array<int, 20> large{};
        for (int i = 0; i < 20; ++i) large[static_cast<std::size_t>(i)] = 100 - i;
        return send_contents(self, large, 7);
    });
    EXPECT_EQ(result.verdict.metrics.work, 20U);
    EXPECT_EQ(result.verdict.metrics.rounds, 9U);
    EXPECT_TRUE(result.verdict.lawful());
}

// ---- a statement, an initialiser, an assignment -----------------------------------------------------------------------

Program statement_only(Node& self) {
    co_await self.send(0, Packet(0));
    co_await self.next_round();
    co_await self.receive();
}

TEST_F(CoroutinePatterns, AwaitAsAStatementInABodyWithoutVariables) {
    run(statement_only);
    EXPECT_EQ(result.verdict.metrics.work, 4U);
}

Program initialise_and_assign(Node& self, std::vector<std::string>& told) {
    const Tracked before(long_text);
    co_await self.send(0, Packet(0));
    co_await self.send(1, Packet(0));
    const Arrival first = co_await self.receive();
    Arrival latest = first;
    latest = co_await self.receive();
    if (self.id() == 0)
        told.push_back(std::to_string(first.from) + " " + std::to_string(latest.from) + " " + before.text());
}

TEST_F(CoroutinePatterns, AwaitAsInitialiserAndAsRightSideOfAnAssignment) {
    run([this](Node& self) { return initialise_and_assign(self, told); });
    EXPECT_EQ(told, std::vector<std::string>{"1 3 " + long_text});
}

// ---- inside control flow ----------------------------------------------------------------------------------------------

Program in_branches_without_variables(Node& self) {
    if (self.id() % 2 == 0)
        co_await self.send(0, Packet(0));
    else
        co_await self.receive();
    switch (self.id()) {
        case 0: co_await self.next_round(); break;
        default: break;
    }
    while (self.round() < 5) co_await self.next_round();
    do {
        co_await self.next_round();
    } while (self.round() < 8);
}

TEST_F(CoroutinePatterns, AwaitInBranchesOfABodyWithoutVariables) {
    run(in_branches_without_variables);
    EXPECT_EQ(result.verdict.metrics.work, 2U);
}

Program in_loops(Node& self, std::vector<std::string>& told) {
    const std::vector<Tracked> words{Tracked("a" + long_text), Tracked("b" + long_text)};
    std::string all;
    for (const Tracked& word : words) {
        for (int i = 0; i < 2; ++i) {
            const Tracked copy = word;
            co_await self.next_round();
            all += copy.text().front();
        }
        if (all.size() == 4) break;
    }
    try {
        const Tracked inside(long_text);
        co_await self.next_round();
        all += inside.text().back();
    } catch (const std::exception&) {
        all += "not reached";
    }
    if (self.id() == 0) told.push_back(all);
}

TEST_F(CoroutinePatterns, AwaitInNestedLoopsAndTryKeepsTheLocalsOfEachScope) {
    run([this](Node& self) { return in_loops(self, told); });
    EXPECT_EQ(told, std::vector<std::string>{"aabbf"});
}

// ---- programs that await programs -------------------------------------------------------------------------------------

Program append(Node& self, Tracked word, std::vector<int> numbers, std::string& to) {
    co_await self.next_round();
    to += word.text().substr(0, 1);
    to += std::to_string(numbers.size());
}

Program call_with_arguments(Node& self, std::vector<std::string>& told) {
    std::string all;
    Tracked moved("m" + long_text);
    const Tracked copied("c" + long_text);
    const std::vector<int> numbers{1, 2, 3};
    co_await append(self, copied, numbers, all);
    co_await append(self, std::move(moved), numbers, all);
    co_await append(self, Tracked("t" + long_text), std::vector<int>(7), all);
    if (self.id() == 0) told.push_back(all + copied.text().substr(0, 1));
}

TEST_F(CoroutinePatterns, ArgumentsByValueAreCopiedMovedAndDestroyedOnce) {
    run([this](Node& self) { return call_with_arguments(self, told); });
    EXPECT_EQ(told, std::vector<std::string>{"c3m3t7c"});
}

Program fails_late(Node& self) {
    const Tracked local(long_text);
    co_await self.next_round();
    throw std::runtime_error(local.text());
}

Program passes_on(Node& self) {
    const Tracked local(long_text);
    co_await fails_late(self);
}

Program catches(Node& self, std::vector<std::string>& told) {
    std::string caught;
    try {
        co_await passes_on(self);
    } catch (const std::runtime_error& error) {
        caught = error.what();
    }
    co_await self.next_round();
    if (self.id() == 0) told.push_back(caught);
}

TEST_F(CoroutinePatterns, ExceptionsRiseThroughNestedPrograms) {
    run([this](Node& self) { return catches(self, told); });
    EXPECT_EQ(told, std::vector<std::string>{long_text});
}

TEST_F(CoroutinePatterns, AnUncaughtExceptionEndsTheRunAndEveryLocal) { EXPECT_THROW(run(passes_on), ProgramError); }

Program nothing(Node&) { co_return; }

Program calls_often(Node& self, int times) {
    for (int i = 0; i < times; ++i) co_await nothing(self);
}

TEST_F(CoroutinePatterns, AMillionCallsThatEndAtOnceNeedNoMachineStack) {
    run([](Node& self) { return calls_often(self, self.id() == 0 ? 1'000'000 : 0); });
}

Program deep(Node& self, int levels, int& deepest) {
    const Tracked local("x");
    deepest = std::max(deepest, Tracked::alive);
    if (levels > 0) co_await deep(self, levels - 1, deepest);
    co_await self.next_round();
}

TEST_F(CoroutinePatterns, CallsNestDeeply) {
    int deepest = 0;
    run([&](Node& self) { return deep(self, self.id() == 0 ? 10'000 : 0, deepest); });
    EXPECT_GE(deepest, 10'001);
}

// ---- what the programs share with their makers -------------------------------------------------------------------------

Program keeps_its_parameters(Node& self, Tracked word, std::vector<std::string>& told) {
    co_await self.next_round();
    if (self.id() == 0) told.push_back(word.text());
}

TEST_F(CoroutinePatterns, ParametersByValueOutliveTheLambdaThatMadeTheProgram) {
    {
        const Tracked word(long_text);
        run([word, this](Node& self) { return keeps_its_parameters(self, word, told); });
    }
    EXPECT_EQ(told, std::vector<std::string>{long_text});
}

Program waits_for_ever(Node& self, Tracked word) {
    const Tracked local(word.text());
    const Arrival never = co_await self.receive();
    word = Tracked(std::to_string(never.from));
}

TEST_F(CoroutinePatterns, AProgramThatNeverEndsIsTakenDownWithItsLocals) {
    run([](Node& self) { return waits_for_ever(self, Tracked(long_text)); });
    EXPECT_FALSE(result.verdict.lawful());
}

Program sends_together(Node& self) {
    const std::array<SendRequest, 2> requests{SendRequest(0, Packet(0)), SendRequest(1, Packet(0))};
    co_await self.send_together(requests);
}

TEST_F(CoroutinePatterns, SpansOverLocalsOfTheProgramLiveThroughTheAwait) {
    run(sends_together);
    EXPECT_EQ(result.verdict.metrics.work, 8U);
    EXPECT_EQ(result.verdict.metrics.rounds, 1U);
}

Program has_a_large_frame(Node& self, std::vector<std::string>& told) {
    std::array<unsigned, 4096> numbers{};
    for (unsigned& number : numbers) number = self.round();
    co_await self.next_round();
    numbers.back() += numbers.front();
    if (self.id() == 0) told.push_back(std::to_string(numbers.back()));
}

TEST_F(CoroutinePatterns, AFrameLargerThanThePoolsBlocksIsWhole) {
    run([this](Node& self) { return has_a_large_frame(self, told); });
    EXPECT_EQ(told, std::vector<std::string>{"2"});
}

}  // namespace
}  // namespace kport
