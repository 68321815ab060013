/// @file forged_values_test.cpp   Values that no node made: of contributions that are not there, of no contribution, and of a
///                                run that is over. The run that uses one is refused and never crashes. One that names
///                                other contributions than it sums up is a breach.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::job_of_all;
using test::machine;
using test::on;
using testing::HasSubstr;

Job on_a_line(Operation operation, ProgramFactory program) {
    Job job = job_of_all(machine("line:3"), std::move(program));
    job.collective.operation = operation;
    return job;
}

/// What the run says where node 0 uses a value of those contributions; null: sends it. The others give what they contribute.
std::string refusal(EngineKind engine, Operation operation, const Progression& contributions, bool sealed,
                    void (*use)(Node& self, const Value& value)) {
    const auto program = [=](Node& self) -> Program {
        const Value own = self.contribution();
        const Value value(Element{contributions, own.element().bits, sealed ? own.element().seal : 0});
        if (self.id() == 0 && use != nullptr) use(self, value);
        if (self.id() == 0 && use == nullptr) co_await self.send(test::rightwards, value);
        if (self.id() != 0) self.result(own);
    };
    try {
        (void)run(on_a_line(operation, program), on(engine));
    } catch (const ProgramError& error) {
        EXPECT_EQ(error.node, 0U);
        EXPECT_EQ(error.round, 1U);
        return error.what();
    }
    return "nothing was refused";
}

TEST(AForgedValue, OfContributionsThatAreNotThereIsRefused) {
    const auto give = [](Node& self, const Value& value) { self.result(value); };
    const auto fold_left = [](Node& self, const Value& value) { (void)self.fold(value, self.contribution()); };
    const auto fold_right = [](Node& self, const Value& value) { (void)self.fold(self.contribution(), value); };
    const auto name_whole = [](Node& self, const Value& value) { (void)self.whole(value); };
    constexpr std::uint32_t most = 0xFFFFFFFF;
    // The result of a reduction of 3 nodes is packet 3; what it is folded with is not.
    const Progression beyond[] = {{4}, {0, 1, 4}, {2, 1, most}, {2, 2, 2}, {most}, {1, most, 2}};
    for (const EngineKind engine : both_engines)
        for (const Operation& operation : {Operation::reduce, Operation::allreduce, Operation::scan})
            for (const Progression& contributions : beyond)
                for (const bool sealed : {false, true}) {
                    for (void (*use)(Node&, const Value&) : {+give, +fold_left, +fold_right, +name_whole})
                        EXPECT_THAT(refusal(engine, operation, contributions, sealed, use),
                                    HasSubstr("node 0 in round 1: node 0 uses a value that names packet "));
                    EXPECT_THAT(refusal(engine, operation, contributions, sealed, nullptr),
                                HasSubstr("node 0 uses a value that names packet "));
                }
    EXPECT_THAT(refusal(EngineKind::lockstep, Operation::reduce, {1, 0, 2}, true, give),
                HasSubstr("uses a value that names packet 1 twice"));
}

TEST(AForgedValue, OfNoContributionWasNeverMade) {
    // Its bits are the address of nothing.
    const auto give = [](Node& self, const Value& value) { self.result(value); };
    for (const EngineKind engine : both_engines)
        EXPECT_THAT(refusal(engine, Operation::reduce, {0, 1, 0}, true, give),
                    HasSubstr("uses a value that was never made"));
}

// -------------------------------------------------------------------------------------------------- of other contributions

/// The value that came, of which a program says that it sums up other contributions.
Value said_to_be(const Value& came, const Progression& contributions) {
    if (came.is_element()) {
        Element element = came.element();
        element.contributions = contributions;
        return Value(element);
    }
    const PacketBlock block = block_of(Progression{}, contributions);
    Body* body = Body::make({&block, 1}, came.body()->byte_count(), *running.pool);
    std::ranges::copy(came.body()->content(), body->bytes());
    body->seal = came.body()->seal;
    return Value(body);
}

/// Node 1 of line:3 receives node 2's contribution and says that it has others, which it then folds, sends or gives.
enum class Use : std::uint8_t { fold_left, fold_right, send, name_whole };

Program renaming(Node& self, Use use) {
    Value all = self.contribution();
    if (self.id() < 2) {
        const Arrival arrival = co_await self.receive_from(self.id() + 1);
        if (self.id() == 0) {
            all = use == Use::name_whole ? arrival.value() : self.fold(all, arrival.value());
        } else if (use == Use::fold_left) {
            const Value forged = said_to_be(arrival.value(), {1, 1, 1});
            all = self.fold(forged, arrival.value());
        } else if (use == Use::fold_right) {
            const Value forged = said_to_be(all, {2, 1, 1});
            all = self.fold(all, forged);
        } else if (use == Use::send) {
            all = said_to_be(arrival.value(), {1, 1, 2});
        } else {
            const Value forged = said_to_be(arrival.value(), {0, 1, 3});
            all = self.whole(forged);
        }
    }
    if (self.id() > 0) {
        const NodeId before = self.id() - 1;
        co_await self.send_to(before, all);
        co_return;
    }
    self.result(all);
}

TEST(AForgedValue, OfOtherContributionsThanItSumsUpIsCaught) {
    const Reduction of_numbers{Operator::max, ElementType::int64, {"9", "1", "2"}};  // the result is right all the same
    const Reduction of_texts{Operator::concat, ElementType::text, {"a", "", ""}};
    for (const EngineKind engine : both_engines)
        for (const bool payload : {true, false})
            for (const Reduction& reduction : {of_numbers, of_texts})
                for (const std::uint64_t bytes : {8U, 64U})
                    for (const auto& [use, lowest] :
                         {std::pair(Use::fold_left, 1), {Use::fold_right, 2}, {Use::send, 1}, {Use::name_whole, 0}}) {
                        Job job = on_a_line(Operation::reduce, [way = use](Node& self) { return renaming(self, way); });
                        job.reduction = reduction;
                        job.payload = payload;
                        job.collective.packet_bytes = bytes;
                        const RunResult result = run(job, on(engine));
                        const Violation told = test::the(Breach::value_differs, result.verdict);
                        EXPECT_EQ(told.node, 1U);
                        EXPECT_EQ(told.other, no_node);
                        EXPECT_EQ(told.round, 2U);
                        EXPECT_EQ(told.packet, lowest);
                        EXPECT_FALSE(result.verdict.lawful());
                    }
}

TEST(AForgedValue, OfOtherContributionsIsCaughtAsAResult) {
    for (const EngineKind engine : both_engines)
        for (const bool payload : {true, false}) {
            Job job = on_a_line(Operation::reduce, [](Node& self) -> Program {
                if (self.id() == 0) self.result(said_to_be(self.contribution(), {0, 1, 3}));
                co_return;
            });
            job.reduction = {Operator::max, ElementType::int64, {"9", "1", "2"}};
            job.payload = payload;
            const RunResult result = run(job, on(engine));
            EXPECT_EQ(test::the(Breach::value_differs, result.verdict).node, 0U);
        }
}

TEST(AForgedValue, OfAnotherSegmentThanItSumsUpIsCaught) {
    // All segments have the same numbers: the result is right all the same.
    for (const EngineKind engine : both_engines)
        for (const bool payload : {true, false}) {
            Job job = on_a_line(Operation::reduce, [](Node& self) -> Program {
                Value all = self.contribution();
                if (self.id() < 2) {
                    const Arrival arrival = co_await self.receive_from(self.id() + 1);
                    all = self.fold(all, arrival.value());
                } else {
                    const Value first = self.cut(all, 0, 1);
                    const PacketBlock second{2, 1, 1, 1};
                    Body* body = Body::make({&second, 1}, first.body()->byte_count(), *running.pool);
                    std::ranges::copy(first.body()->content(), body->bytes());
                    body->seal = first.body()->seal;
                    all = self.concatenate(first, Value(body));
                }
                if (self.id() == 0) self.result(all);
                if (self.id() == 0) co_return;
                const NodeId before = self.id() - 1;
                co_await self.send_to(before, all);
            });
            job.collective.packets_each = 2;
            job.reduction = {Operator::max, ElementType::int64, {"9", "1", "2"}};
            job.payload = payload;
            const RunResult result = run(job, on(engine));
            const Violation told = test::the(Breach::value_differs, result.verdict);
            EXPECT_EQ(told.node, 2U);
            EXPECT_EQ(told.segment, 1U);
        }
}

// ------------------------------------------------------------------------------------------------- beyond the end of a run

/// Texts, which live in the memory of their run. Node 0 keeps what it folds.
Job keeping(std::optional<Value>& kept) {
    Job job = on_a_line(Operation::reduce, [&kept](Node& self) -> Program {
        Value all = self.contribution();
        if (self.id() < 2) {
            const Arrival arrival = co_await self.receive_from(self.id() + 1);
            all = self.fold(all, arrival.value());
        }
        if (self.id() > 0) {
            const NodeId before = self.id() - 1;
            co_await self.send_to(before, all);
            co_return;
        }
        self.result(all);
        kept = all;
    });
    job.reduction = {Operator::concat, ElementType::text, {"a", "b", "c"}};
    return job;
}

TEST(AValueOfARunThatIsOver, IsEmptyAndMayBeCopiedAndDestroyed) {
    for (const EngineKind engine : both_engines) {
        std::optional<Value> kept;
        EXPECT_TRUE(run(keeping(kept), on(engine)).verdict.lawful());
        ASSERT_TRUE(kept);
        EXPECT_TRUE(kept->contributions().empty());
        const Value copy = *kept;
        EXPECT_TRUE(copy.contributions().empty());
        kept.reset();
    }
}

TEST(AValueOfARunThatIsOver, IsRefusedByTheNext) {
    for (const EngineKind engine : both_engines) {
        std::optional<Value> kept;
        (void)run(keeping(kept), on(engine));
        Job next = on_a_line(Operation::reduce, [&kept](Node& self) -> Program {
            if (self.id() == 1) self.result(*kept);
            co_return;
        });
        next.reduction = {Operator::concat, ElementType::text, {"a", "b", "c"}};
        try {
            (void)run(next, on(engine));
            FAIL() << "nothing was refused";
        } catch (const ProgramError& error) {
            EXPECT_THAT(error.what(), HasSubstr("node 1 uses a value that was never made in this run"));
        }
        // A run destroys it as well, when it has no memory to give back.
        next.program = [&kept](Node&) -> Program {
            kept.reset();
            co_return;
        };
        EXPECT_FALSE(run(next, on(engine)).verdict.delivered);
        EXPECT_FALSE(kept);
    }
}

}  // namespace
}  // namespace kport
