/// @file reductions_test.cpp   Faults of reductions: a contribution folded twice or out of order, a result that
///                             lacks some, has too many, or differs. Each is reported once; lawful runs are clean.
///
/// Source   model.md sections 6 (the caution on Algorithm 4.9) and 8 (delivery).
#include <bit>
#include <memory>
#include <tuple>
#include <utility>

#include "emulator/engine/free_running.hpp"
#include "emulator/engine/replay.hpp"
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::counted;
using test::job_of_all;
using test::machine;
using test::Step;
using test::the;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Reduction sum_of_8{Operator::sum, ElementType::int64, {"1", "2", "4", "8", "16", "32", "64", "128"}};
const Reduction concat_of_8{Operator::concat, ElementType::text, {"a", "b", "c", "d", "e", "f", "g", "h"}};

Job reducing(const Machine& machine, Operation operation, const Reduction& reduction, ProgramFactory program) {
    Job all = job_of_all(machine, std::move(program));
    all.promise.operation = operation;
    all.reduction = reduction;
    return all;
}
std::vector<std::string> sentences(const RunResult& result, const Machine& machine) {
    EXPECT_EQ(result.verdict.violations.size(), result.verdict.violation_count);
    return test::sentences(result.verdict, *machine.topology);
}
void expect_told(const Violation& v, Round round, NodeId node, PacketId packet) {
    EXPECT_EQ(v.rule(), Rule::delivery);
    EXPECT_EQ(v.round, round);
    EXPECT_EQ(v.node, node);
    EXPECT_EQ(v.packet, packet);
}

// ------------------------------------------------------------------------------------------- Algorithm 4.9, prefix sums

/// As the book prints it: an incoming value is folded on the right, on whichever side its sender is.
Program prefix_sums_as_printed(Node& self) {
    Value result = self.contribution();
    Value message = result;
    for (Port port = 0; port < self.topology().ports(); ++port) {
        co_await self.send(port, message);
        const Arrival arrival = co_await self.receive(port);
        message = self.fold(message, arrival.value());
        if (arrival.from < self.id()) result = self.fold(result, arrival.value());
    }
    self.result(result);
}

/// With the operand order for operators that are not commutative.
Program prefix_sums_in_order(Node& self) {
    Value result = self.contribution();
    Value message = result;
    for (Port port = 0; port < self.topology().ports(); ++port) {
        co_await self.send(port, message);
        const Arrival arrival = co_await self.receive(port);
        if (arrival.from < self.id()) {
            message = self.fold(arrival.value(), message);
            result = self.fold(arrival.value(), result);
        } else {
            message = self.fold(message, arrival.value());
        }
    }
    self.result(result);
}

TEST(PrefixSumsAsPrinted, AreRightForASum) {
    const Machine cube = machine("hypercube:3");
    const RunResult result = run_lockstep(reducing(cube, Operation::scan, sum_of_8, prefix_sums_as_printed), {});
    EXPECT_THAT(sentences(result, cube), IsEmpty());
    EXPECT_TRUE(result.verdict.delivered);
    EXPECT_THAT(result.results, ElementsAre("1", "3", "7", "15", "31", "63", "127", "255"));
}

TEST(PrefixSumsAsPrinted, AreWrongForConcat) {
    const Machine cube = machine("hypercube:3");
    const RunResult result = run_lockstep(reducing(cube, Operation::scan, concat_of_8, prefix_sums_as_printed), {});
    // In each of three phases the four nodes above their partner fold message and result on the wrong side.
    std::vector<std::pair<Round, NodeId>> folds;
    for (const Violation& v : result.verdict.violations)
        if (v.breach == Breach::folded_out_of_order) folds.emplace_back(v.round, v.node);
    EXPECT_EQ(folds.size(), 3U * 4U * 2U);
    EXPECT_EQ(folds.front(), (std::pair<Round, NodeId>{2, 1}));
    EXPECT_THAT(
        sentences(result, cube),
        testing::Contains("delivery broken: node 1 folds contribution 1 before 0 in round 2: the operator is not "
                          "commutative: left and right must stand in the order of the nodes")
            .Times(2));
    EXPECT_FALSE(result.verdict.delivered);
    // And every result but that of node 0 is another word.
    std::vector<NodeId> differ;
    for (const Violation& v : result.verdict.violations)
        if (v.breach == Breach::result_differs) differ.push_back(v.node);
    EXPECT_THAT(differ, ElementsAre(1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(result.results.front(), "a");
    EXPECT_EQ(result.results[1], "ba");
}

TEST(PrefixSumsInOrder, AreLawfulForEveryOperator) {
    const Machine cube = machine("hypercube:3");
    const RunResult concat = run_lockstep(reducing(cube, Operation::scan, concat_of_8, prefix_sums_in_order), {});
    EXPECT_THAT(sentences(concat, cube), IsEmpty());
    EXPECT_TRUE(concat.verdict.delivered);
    EXPECT_THAT(concat.results, ElementsAre("a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"));
    for (const Operator op : {Operator::sum, Operator::min, Operator::max, Operator::exclusive_or})
        for (const ElementType type : {ElementType::int64, ElementType::real})
            for (const std::uint64_t bytes : {8U, 40U}) {
                if (op == Operator::exclusive_or && type == ElementType::real) continue;
                Job job = reducing(cube, Operation::scan, {op, type, {}}, prefix_sums_in_order);
                job.promise.packet_bytes = bytes;
                EXPECT_THAT(sentences(run_lockstep(job, {}), cube), IsEmpty()) << name(op) << name(type) << bytes;
            }
}

TEST(PrefixSumsInOrder, HaveMessagesOfOnePacketAndNeedNoCombining) {
    Machine cube = machine("hypercube:3");
    cube.combining = false;
    Job job = reducing(cube, Operation::scan, sum_of_8, prefix_sums_in_order);
    job.promise.packet_bytes = 16;
    const RunResult result = run_lockstep(job, {});
    EXPECT_TRUE(result.verdict.lawful() && result.verdict.delivered && result.verdict.combining);
    EXPECT_EQ(result.verdict.metrics.volume, 3U * 16U);
    EXPECT_EQ(result.verdict.metrics.bytes, 24U * 16U);
}

// ------------------------------------------------------------------------------------------------- folds that must not be

TEST(AFold, OfAContributionTwiceIsCaught) {
    // Node 0 folds what node 1 sent into what it has, and then once more.
    const Machine line = machine("line:2");
    const auto twice = [](Node& self) -> Program {
        if (self.id() == 1) {
            const Value own = self.contribution();
            co_await self.send(0, own);
            co_return;
        }
        const Arrival arrival = co_await self.receive();
        const Value once = self.fold(self.contribution(), arrival.value());
        (void)self.fold(once, arrival.value());
        self.result(once);
    };
    const RunResult result =
        run_lockstep(reducing(line, Operation::reduce, {Operator::sum, ElementType::int64, {"1", "2"}}, twice), {});
    EXPECT_THAT(sentences(result, line),
                ElementsAre("delivery broken: node 0 folds contribution 1 twice in round 2: both of the values that it "
                            "folds have it"));
    expect_told(the(Breach::folded_twice, result.verdict), 2, 0, 1);
    EXPECT_THAT(result.results, ElementsAre("3"));
    EXPECT_FALSE(result.verdict.delivered);
}

TEST(AFold, OfAContributionTwiceMakesNoResult) {
    // The same for the result itself, of every kind of value: elements, bodies of several, texts.
    const Machine line = machine("line:2");
    const auto twice = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1) {
            co_await self.send(0, own);
            co_return;
        }
        const Arrival arrival = co_await self.receive();
        self.result(self.fold(self.fold(own, arrival.value()), arrival.value()));
    };
    for (const Reduction& reduction : {Reduction{}, Reduction{Operator::concat, ElementType::text, {}}})
        for (const std::uint64_t bytes : {8U, 24U}) {
            Job job = reducing(line, Operation::reduce, reduction, twice);
            job.promise.packet_bytes = bytes;
            const Verdict verdict = run_lockstep(job, {}).verdict;
            expect_told(the(Breach::folded_twice, verdict), 2, 0, 1);
            EXPECT_FALSE(verdict.delivered);
        }
}

TEST(AFold, OfAContributionTwiceIsReportedOnceEvenIfSentOn) {
    // Node 2 folds node 3's value twice, and sends the result; node 1 passes it on. Both hold all its contributions.
    const Machine line = machine("line:4");
    const auto twice = [](Node& self) -> Program {
        Value value = self.contribution();
        if (self.id() != 3) {
            const Arrival arrival = co_await self.receive();
            value = self.fold(value, arrival.value());
            if (self.id() == 2) value = self.fold(value, arrival.value());
        }
        if (self.id() != 0)
            co_await self.send(0, value);
        else
            self.result(value);
    };
    const Verdict verdict = run_lockstep(reducing(line, Operation::reduce, {}, twice), {}).verdict;
    expect_told(the(Breach::folded_twice, verdict), 2, 2, 3);
    expect_told(the(Breach::result_exceeds, verdict), 4, 0, 3);
    EXPECT_EQ(verdict.violation_count, 3U) << "and the result differs";
    EXPECT_TRUE(verdict.nodup);
    EXPECT_TRUE(verdict.noho);
}

TEST(AFold, OutOfOrderIsCaughtForConcatAlone) {
    const Machine line = machine("line:2");
    const auto turned = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1) {
            co_await self.send(0, own);
            co_return;
        }
        const Arrival arrival = co_await self.receive();
        self.result(self.fold(arrival.value(), own));
    };
    const RunResult concat =
        run_lockstep(reducing(line, Operation::reduce, {Operator::concat, ElementType::text, {}}, turned), {});
    const Violation v = the(Breach::folded_out_of_order, concat.verdict);
    expect_told(v, 2, 0, 1);
    EXPECT_EQ(v.limit, 0U);
    EXPECT_EQ(the(Breach::result_differs, concat.verdict).node, 0U);
    EXPECT_EQ(concat.verdict.violation_count, 2U);
    EXPECT_THAT(concat.results, ElementsAre("1.0."));
    EXPECT_THAT(sentences(run_lockstep(reducing(line, Operation::reduce, {}, turned), {}), line), IsEmpty());
}

// --------------------------------------------------------------------------------------------------- results that are wrong

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

RunResult run_exchange(ProgramFactory program, Operation operation = Operation::allreduce) {
    return run_lockstep(reducing(machine("hypercube:2"), operation,
                                 {Operator::sum, ElementType::int64, {"1", "2", "3", "4"}}, std::move(program)),
                        {});
}

TEST(AResult, AtEveryNodeIsLawful) {
    const RunResult result = run_exchange(exchange_and([](Node& self, const Value& all) { self.result(all); }));
    EXPECT_THAT(sentences(result, machine("hypercube:2")), IsEmpty());
    EXPECT_TRUE(result.verdict.delivered);
    EXPECT_EQ(result.verdict.holders, 4U);
    EXPECT_THAT(result.results, ElementsAre("10", "10", "10", "10"));
}

TEST(AResult, MayBeGivenOfWhatFewerMessagesBroughtAndLacksTheRest) {
    const RunResult result = run_exchange(
        exchange_and([](Node& self, const Value& all) { self.result(self.id() == 2 ? self.contribution() : all); }));
    EXPECT_THAT(
        sentences(result, machine("hypercube:2")),
        ElementsAre("delivery broken: the result of node 2 lacks the contribution of node 0",
                    "delivery broken: the result of node 2 differs in byte 0 from every fold of its contributions"));
    expect_told(the(Breach::result_lacks, result.verdict), 3, 2, 0);
    EXPECT_EQ(result.verdict.holders, 3U);
    EXPECT_FALSE(result.verdict.delivered);
}

/// A reduction to node 0 of line:3 and a broadcast of the result, which is one packet and goes back where it came from.
Program reduce_and_broadcast(Node& self, bool forgets) {
    Value total = self.contribution();
    if (self.id() == 2) co_await self.send_to(1, total);
    if (self.id() == 1) {
        const Arrival arrival = co_await self.receive_from(2);
        if (!forgets) total = self.fold(total, arrival.value());
        co_await self.send_to(0, total);
    }
    if (self.id() == 0) {
        const Arrival arrival = co_await self.receive_from(1);
        total = self.fold(total, arrival.value());
        total = self.whole(total);
        co_await self.send_to(1, total);
    } else {
        const Arrival arrival = co_await self.receive_from(self.id() - 1);
        total = arrival.value();
        if (self.id() == 1) co_await self.send_to(2, total);
    }
    self.result(total);
}

TEST(AResult, MayGoBackAsOnePacketToItsContributors) {
    for (const std::uint64_t bytes : {8U, 24U}) {
        Job job = reducing(machine("line:3"), Operation::allreduce, {},
                           [](Node& self) { return reduce_and_broadcast(self, false); });
        job.promise.packet_bytes = bytes;
        const RunResult result = run_lockstep(job, {});
        EXPECT_THAT(sentences(result, job.machine), IsEmpty());
        EXPECT_TRUE(result.verdict.delivered);
        EXPECT_EQ(result.verdict.metrics.rounds, 4U);
    }
}

TEST(AResult, ThatLacksContributionsIsCaught) {
    const Job job = reducing(machine("line:3"), Operation::allreduce, {},
                             [](Node& self) { return reduce_and_broadcast(self, true); });
    const RunResult result = run_lockstep(job, {});
    expect_told(the(Breach::result_lacks, result.verdict), 3, 0, 2);
    EXPECT_FALSE(result.verdict.lawful());
}

TEST(AResult, WithForeignContributionsExceeds) {
    const RunResult result =
        run_exchange(exchange_and([](Node& self, const Value& all) { self.result(all); }), Operation::scan);
    std::vector<std::pair<NodeId, PacketId>> exceed;
    for (const Violation& v : result.verdict.violations)
        if (v.breach == Breach::result_exceeds) exceed.emplace_back(v.node, v.packet);
    using Exceeds = std::pair<NodeId, PacketId>;
    EXPECT_THAT(exceed, ElementsAre(Exceeds{0, 1}, Exceeds{1, 2}, Exceeds{2, 3}));
    EXPECT_EQ(
        sentence(the(Breach::result_exceeds, run_exchange(exchange_and([](Node& self, const Value& all) {
                                                              self.result(self.id() == 2 ? all : self.contribution());
                                                          }),
                                                          Operation::scan)
                                                 .verdict),
                 *machine("hypercube:2").topology),
        "delivery broken: the result of node 2 has the contribution of node 3 twice, or must not have it");
    EXPECT_EQ(result.verdict.holders, 1U);  // node 3, to which all belong
}

TEST(AResult, OfANodeThatOwesNoneIsToldAsThatAndNotCompared) {
    // Node 2 of a reduction to node 0 gives what it has, which is right for what it is.
    const Machine line = machine("line:3");
    const auto program = [](Node& self) -> Program {
        Value all = self.contribution();
        if (self.id() != 2) {
            const Arrival arrival = co_await self.receive_from(self.id() + 1);
            all = self.fold(all, arrival.value());
        }
        if (self.id() != 1) self.result(all);
        if (self.id() != 0) co_await self.send(test::leftwards, all);
    };
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free})
        for (const bool payload : {true, false}) {
            Job job = reducing(line, Operation::reduce, {Operator::sum, ElementType::int64, {"1", "2", "4"}}, program);
            job.payload = payload;
            RunOptions options;
            options.engine = engine;
            const RunResult result = run(job, options);
            EXPECT_THAT(sentences(result, line),
                        ElementsAre("delivery broken: node 2 gives a result in round 1 and owes none: the operation "
                                    "promises its result to node 0 alone"));
            expect_told(the(Breach::result_not_due, result.verdict), 1, 2, 0);
            EXPECT_EQ(result.verdict.holders, 3U) << "the root has its own";
            EXPECT_THAT(result.results,
                        payload ? ElementsAre("7") : testing::Matcher<std::vector<std::string>>(IsEmpty()));
        }
}

TEST(AResult, ThatIsNeverGivenIsMissed) {
    const RunResult result = run_exchange(exchange_and([](Node& self, const Value& all) {
        if (self.id() != 1) self.result(all);
    }));
    EXPECT_THAT(sentences(result, machine("hypercube:2")),
                ElementsAre("delivery broken: node 1 ends without a result"));
    EXPECT_EQ(the(Breach::never_a_result, result.verdict).node, 1U);
    EXPECT_EQ(result.verdict.holders, 3U);
    EXPECT_FALSE(result.verdict.delivered);
}

TEST(AResult, ThatTheRootNeverGivesLeavesOneContributionUncounted) {
    // It has all of them; "N of N" would read as if the reduction were complete.
    const auto silent = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1)
            co_await self.send(0, own);
        else
            (void)co_await self.receive();
    };
    const Verdict verdict = run_lockstep(reducing(machine("line:2"), Operation::reduce, {}, silent), {}).verdict;
    EXPECT_EQ(the(Breach::never_a_result, verdict).node, 0U);
    EXPECT_EQ(verdict.holders, 1U);
    EXPECT_EQ(verdict.promised, 2U);
}

TEST(AResult, OfOtherBytesThanItsContributionsDiffers) {
    // The contributions are right, the number is not.
    const RunResult result = run_exchange(exchange_and([](Node& self, const Value& all) {
        self.result(self.id() == 3 ? Value(Element{{0, 1, 4}, 10 + (std::uint64_t{1} << 40)}) : all);
    }));
    EXPECT_THAT(
        sentences(result, machine("hypercube:2")),
        ElementsAre("delivery broken: node 3 uses a value with contribution 0 in round 3 that nobody made: values "
                    "come from contribution(), fold(), whole() and messages, and never change",
                    "delivery broken: the result of node 3 differs in byte 5 from every fold of its contributions"));
    EXPECT_EQ(the(Breach::result_differs, result.verdict).node, 3U);
    EXPECT_FALSE(result.verdict.delivered);
}

TEST(AResult, GivenAgainIsTheLast) {
    const RunResult result = run_exchange(exchange_and([](Node& self, const Value& all) {
        self.result(all);
        self.result(all);
    }));
    EXPECT_THAT(sentences(result, machine("hypercube:2")), IsEmpty());
}

TEST(AResult, OfDoublesMayBeRoundedInAnyOrder) {
    // 0.1 + 0.2 + 0.3 + ... depends on where the brackets stand; every bracketing is a right sum.
    const Machine cube = machine("hypercube:4");
    Reduction reals{Operator::sum, ElementType::real, {}};
    for (int v = 0; v < 16; ++v) reals.values.push_back(fmt::format("{}", 0.1 + 0.7 * v * v));
    const auto all = exchange_and([](Node& self, const Value& value) { self.result(value); });
    EXPECT_THAT(sentences(run_lockstep(reducing(cube, Operation::allreduce, reals, all), {}), cube), IsEmpty());
    EXPECT_THAT(sentences(run_lockstep(reducing(cube, Operation::scan, reals, prefix_sums_in_order), {}), cube),
                IsEmpty());
    const Reduction zeros{Operator::min, ElementType::real, {"0", "-0", "0", "-0"}};
    EXPECT_THAT(sentences(run_lockstep(reducing(machine("hypercube:2"), Operation::allreduce, zeros, all), {}),
                          machine("hypercube:2")),
                IsEmpty());
    // An error larger than rounding is still found.
    const auto off = exchange_and([](Node& self, const Value& value) {
        const double wrong = std::bit_cast<double>(value.element().bits) * (1 + 1e-9);
        self.result(self.id() == 5 ? Value(Element{value.element().contributions, std::bit_cast<std::uint64_t>(wrong)})
                                   : value);
    });
    EXPECT_EQ(
        the(Breach::result_differs, run_lockstep(reducing(cube, Operation::allreduce, reals, off), {}).verdict).node,
        5U);
}

TEST(AResult, OfDoublesMayBeWhatAnyBracketingGives) {
    // One after the other the sum is 0; in pairs it is an infinity less another.
    Reduction reals{Operator::sum, ElementType::real, {"1e308", "1e308", "-1e308", "-1e308"}};
    const Machine cube = machine("hypercube:2");
    const auto all = exchange_and([](Node& self, const Value& value) { self.result(value); });
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free})
        for (const std::uint64_t bytes : {8U, 24U}) {
            RunOptions options;
            options.engine = engine;
            Job job = reducing(cube, Operation::allreduce, reals, all);
            job.promise.packet_bytes = bytes;
            const RunResult sums = run(job, options);
            EXPECT_THAT(sentences(sums, cube), IsEmpty());
            EXPECT_THAT(sums.results, ElementsAre("nan", "nan", "nan", "nan"));
            job = reducing(cube, Operation::scan, reals, prefix_sums_in_order);
            job.promise.packet_bytes = bytes;
            const RunResult prefixes = run(job, options);
            EXPECT_THAT(sentences(prefixes, cube), IsEmpty());
            EXPECT_THAT(prefixes.results, ElementsAre("1e+308", "inf", "inf", "nan"));
        }
}

TEST(AResult, OfDoublesThatNoFoldGaveIsCaughtHoweverNear) {
    // By the last bit, and of values of which no bracketing can be ruled out.
    const Machine cube = machine("hypercube:2");
    const auto off = exchange_and([](Node& self, const Value& value) {
        self.result(self.id() == 2 ? Value(Element(value.element().contributions, value.element().bits ^ 1)) : value);
    });
    for (const char* large : {"1", "1e308"})
        for (const Operator op : {Operator::sum, Operator::min, Operator::max}) {
            const Reduction reals{op, ElementType::real, {large, "0.1", large, "-7"}};
            const Verdict verdict = run_lockstep(reducing(cube, Operation::allreduce, reals, off), {}).verdict;
            expect_told(the(Breach::value_differs, verdict), 3, 2, 0);
            EXPECT_FALSE(verdict.delivered);
        }
}

TEST(AResult, OfAValueOfAnEarlierRunIsCaughtThoughItIsTheSame) {
    // Node 2 gives the sum that it folded in the first run, of the same contributions.
    constexpr std::pair<Operator, ElementType> kinds[] = {
        {Operator::sum, ElementType::int64}, {Operator::max, ElementType::int64},
        {Operator::sum, ElementType::real},  {Operator::min, ElementType::real},
        {Operator::max, ElementType::real},  {Operator::exclusive_or, ElementType::int64}};
    for (const auto& [op, type] : kinds)
        for (const bool payload : {true, false}) {
            const auto kept = std::make_shared<std::vector<Value>>();
            const auto keeps = exchange_and([kept](Node& self, const Value& all) {
                if (self.id() == 2 && kept->empty()) kept->push_back(all);
                self.result(self.id() == 2 ? kept->front() : all);
            });
            Job job = reducing(machine("hypercube:2"), Operation::allreduce, {op, type, {"1", "2", "4", "8"}}, keeps);
            job.payload = payload;
            const auto expect_caught = [](const Verdict& verdict) {
                expect_told(the(Breach::value_differs, verdict), 3, 2, 0);
                EXPECT_EQ(verdict.violation_count, 1U);
                EXPECT_FALSE(verdict.delivered);
            };
            RunOptions free;
            free.engine = EngineKind::free;
            EXPECT_TRUE(run(job, {}).verdict.lawful());
            expect_caught(run(job, {}).verdict);
            expect_caught(run(job, free).verdict);
            kept->clear();
            FreeRunning engine(job, free);
            EXPECT_TRUE(engine.run().value().verdict.lawful());
            expect_caught(engine.run().value().verdict);
            expect_caught(run(job, {}).verdict);
        }
}

// --------------------------------------------------------------------------------------------- contributions on their way

TEST(AContribution, ThatComesAgainBreaksNodup) {
    const Machine line = machine("line:2");
    const auto again = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1) {
            co_await self.send(0, own);
            co_await self.send(0, own);
            co_return;
        }
        const Arrival first = co_await self.receive();
        co_await self.receive();
        self.result(self.fold(own, first.value()));
    };
    const RunResult result = run_lockstep(reducing(line, Operation::reduce, {}, again), {});
    EXPECT_THAT(sentences(result, line), ElementsAre(HasSubstr("NODUP broken: node 0 receives packet 1 again")));
    const Violation v = the(Breach::received_again, result.verdict);
    EXPECT_EQ(v.rule(), Rule::nodup);
    EXPECT_EQ(std::tuple(v.round, v.node, v.packet, v.other), std::tuple(2U, 0U, 1U, 1U));
}

TEST(AContribution, ThatWasNotReceivedCannotBeSentOn) {
    // Node 1 claims to send a value that has the contribution of node 0 too.
    const Machine line = machine("line:2");
    const auto forged = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1) {
            const Value both(Element{{0, 1, 2}, 3});
            co_await self.send(0, both);
            co_return;
        }
        const Arrival arrival = co_await self.receive();
        self.result(arrival.value());
    };
    const RunResult result =
        run_lockstep(reducing(line, Operation::reduce, {Operator::sum, ElementType::int64, {"1", "2"}}, forged), {});
    EXPECT_THAT(sentences(result, line),
                ElementsAre(HasSubstr("node 1 sends packet 0 in round 1 and does not hold it"),
                            HasSubstr("node 1 uses a value with contribution 0 in round 1 that nobody made")));
}

// ------------------------------------------------------------------------------------- what a node may sum up, and send on

/// Where the programs of all nodes can see it: no node of the machine could.
struct SharedMemory {
    std::vector<Value> values;
    Node* node_1 = nullptr;
};

TEST(AResult, OfValuesThatNoMessageBroughtIsCaught) {
    // Node 3 takes the contributions from memory that all programs share; no message moves.
    const Machine line = machine("line:4");
    const auto shared = std::make_shared<SharedMemory>();
    const auto passes_by = [shared](Node& self) -> Program {
        return [](Node& node, SharedMemory& memory) -> Program {
            memory.values.push_back(node.contribution());
            co_await node.next_round();
            if (node.id() != 3) co_return;  // the last that both engines start
            Value all = memory.values[0];
            for (std::size_t i = 1; i < memory.values.size(); ++i) all = node.fold(all, memory.values[i]);
            node.result(all);
        }(self, *shared);
    };
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        shared->values.clear();
        RunOptions options;
        options.engine = engine;
        Job job = reducing(line, Operation::reduce, {}, passes_by);
        job.promise.source = 3;
        const RunResult result = run(job, options);
        EXPECT_EQ(result.engine, engine);
        EXPECT_THAT(
            sentences(result, line),
            ElementsAre("delivery broken: the result of node 3 has the contribution of node 0, which never came "
                        "to it: a result sums up what its node contributes and what it has received in messages"));
        expect_told(the(Breach::result_unheld, result.verdict), 2, 3, 0);
        EXPECT_FALSE(result.verdict.delivered);
        EXPECT_LT(result.verdict.holders, result.verdict.promised);
    }
}

TEST(AResult, OfTheContributionOfAnotherNodesNodeIsCaught) {
    const Machine line = machine("line:2");
    const auto shared = std::make_shared<SharedMemory>();
    const auto leaks = [shared](Node& self) -> Program {
        return [](Node& node, SharedMemory& memory) -> Program {
            if (node.id() == 1) memory.node_1 = &node;
            co_await node.next_round();
            if (node.id() == 0) node.result(node.fold(node.contribution(), memory.node_1->contribution()));
            co_await node.next_round();
        }(self, *shared);
    };
    const Verdict verdict = run_lockstep(reducing(line, Operation::reduce, {}, leaks), {}).verdict;
    expect_told(the(Breach::result_unheld, verdict), 2, 0, 1);
    EXPECT_FALSE(verdict.delivered);
}

/// Node 0 of line:4 receives {2, 3} from node 1, folded with 1 if it `folds` that too, and then sends on or gives a part.
template <class Then>
Job after_a_fold(Operation operation, bool folds, Then then) {
    return reducing(machine("line:4"), operation, {}, [=](Node& self) -> Program {
        return [](Node& node, bool folds_1, Then do_then) -> Program {
            if (node.id() == 3) co_await node.send_to(2, node.contribution());
            if (node.id() == 2) {
                const Arrival arrival = co_await node.receive();
                const Value both = node.fold(node.contribution(), arrival.value());
                co_await node.send_to(1, both);
            }
            if (node.id() != 1) co_return;
            const Arrival arrival = co_await node.receive();
            const Value all = folds_1 ? node.fold(node.contribution(), arrival.value()) : arrival.value();
            const Value part = do_then(node, all);
            co_await node.send_to(0, part);
        }(self, folds, then);
    });
}

TEST(AValue, CannotBeTakenApart) {
    // Node 1 has 2 and 3 folded, and claims to send 2 alone.
    const auto part = [](Node&, const Value&) { return Value(Element{{2}, 1}); };
    const Verdict verdict = run_lockstep(after_a_fold(Operation::reduce, false, part), {}).verdict;
    const Violation v = the(Breach::taken_apart, verdict);
    expect_told(v, 3, 1, 2);
    EXPECT_EQ(v.other, 0U);
    EXPECT_EQ(
        sentence(v, *machine("line:4").topology),
        "delivery broken: node 1 sends contribution 2 in round 3 and has it only folded with others: it went to node "
        "0 by port 0 without some of those; a value cannot be taken apart");
}

TEST(AValue, MayBeSentWithoutWhatCameApartFromIt) {
    // {2, 3} as it came, without node 1's own contribution; {1} alone; and both.
    const auto as_it_came = [](Node&, const Value& value) { return value; };
    const auto own = [](Node& node, const Value&) { return node.contribution(); };
    for (const bool folds : {true, false})
        EXPECT_EQ(
            counted(run_lockstep(after_a_fold(Operation::reduce, folds, as_it_came), {}).verdict, Breach::taken_apart),
            0U);
    EXPECT_EQ(counted(run_lockstep(after_a_fold(Operation::reduce, true, own), {}).verdict, Breach::taken_apart), 0U);
}

TEST(AResult, CannotTakeAValueApart) {
    // Node 2 of a scan folds everything and sends it to node 1, whose prefix lacks the last contribution.
    const Machine line = machine("line:3");
    const auto whole = [](Node& self) -> Program {
        if (self.id() == 0) {
            const Value own = self.contribution();
            self.result(own);
            co_await self.send_to(2, own);
        }
        if (self.id() == 1) {
            const Arrival arrival = co_await self.receive();
            self.result(Value(Element{{0, 1, 2}, arrival.value().element().bits}));
        }
        if (self.id() == 2) {
            const Value own = self.contribution();
            const Arrival arrival = co_await self.receive();
            const Value all = self.fold(arrival.value(), own);
            self.result(all);
            co_await self.send_to(1, all);
        }
    };
    const Verdict apart = run_lockstep(reducing(test::wormhole(line), Operation::scan, {}, whole), {}).verdict;
    const Violation v = the(Breach::taken_apart, apart);
    EXPECT_EQ(std::tuple(v.node, v.packet, v.other), std::tuple(1U, 0U, no_node));
    EXPECT_EQ(
        sentence(v, *line.topology),
        "delivery broken: the result of node 1 has the contribution of node 0, which the node has only folded with "
        "others: the result lacks some of those; a value cannot be taken apart");
}

// ------------------------------------------------------------------------------------------------------------- schedules

PacketBlock those(std::uint32_t first, std::uint32_t count = 1) { return {first, 1, count}; }

const std::vector<Step> down_a_line = {{1, 2, 1, {}, {those(2)}}, {2, 1, 0, {}, {those(1, 2)}}};

std::vector<std::string> audited(Operation operation, const std::vector<Step>& steps) {
    const Machine line = machine("line:3");
    return test::sentences(audit(test::schedule(*line.topology, steps), line, {0, 8, operation}, false),
                           *line.topology);
}
std::vector<std::string> replayed(Operation operation, const std::vector<Step>& steps,
                                  const Reduction& reduction = {}) {
    const Machine line = machine("line:3");
    ReplayOptions options;
    options.reduction = reduction;
    return test::sentences(replay(test::schedule(*line.topology, steps), line, {0, 8, operation}, options).verdict,
                           *line.topology);
}

TEST(AScheduleOfAReduction, HasNoViolationIfItIsLawful) {
    EXPECT_THAT(audited(Operation::reduce, down_a_line), IsEmpty());
    EXPECT_THAT(replayed(Operation::reduce, down_a_line), IsEmpty());
    EXPECT_THAT(replayed(Operation::reduce, down_a_line, {Operator::concat, ElementType::text, {}}), IsEmpty());
    // Then the result is sent back as a packet of its own.
    std::vector<Step> there_and_back = down_a_line;
    there_and_back.push_back({3, 0, 1, {}, {those(3)}});
    there_and_back.push_back({4, 1, 2, {}, {those(3)}});
    EXPECT_THAT(audited(Operation::allreduce, there_and_back), IsEmpty());
    EXPECT_THAT(replayed(Operation::allreduce, there_and_back), IsEmpty());
}

TEST(AScheduleOfAReduction, IsCaughtWhenTheResultLacksAContribution) {
    const std::vector<Step> one_missing = {{1, 1, 0, {}, {those(1)}}};
    EXPECT_THAT(audited(Operation::reduce, one_missing),
                ElementsAre("delivery broken: the result of node 0 lacks the contribution of node 2"));
    EXPECT_THAT(replayed(Operation::reduce, one_missing),
                testing::Contains("delivery broken: the result of node 0 lacks the contribution of node 2"));
}

TEST(AScheduleOfAReduction, IsCaughtWhenTheResultIsSentBeforeItIsThere) {
    const std::vector<Step> early = {{1, 1, 0, {}, {those(1)}}, {2, 0, 1, {}, {those(3)}}};
    EXPECT_THAT(audited(Operation::allreduce, early), testing::Contains(HasSubstr("node 0 sends packet 3 in round 2")));
}

TEST(AScheduleOfAReduction, IsCaughtWhenAValueIsTakenApart) {
    // Node 1 gets {2} and then {3, 4} folded; what it may send on: those, its own, and what they make together.
    const Machine line = machine("line:5", PortLimit(2));
    const auto told = [&](std::vector<PacketBlock> sent) {
        const std::vector<Step> steps = {{1, 2, 1, {}, {those(2)}},
                                         {1, 4, 3, {}, {those(4)}},
                                         {2, 3, 2, {}, {those(3, 2)}},
                                         {3, 2, 1, {}, {those(3, 2)}},
                                         {4, 1, 0, {}, std::move(sent)}};
        const Schedule schedule = test::schedule(*line.topology, steps);
        const Verdict verdict = audit(schedule, line, {0, 8, Operation::reduce}, false);
        std::vector<PacketId> parts;
        for (const Violation& v : verdict.violations)
            if (v.breach == Breach::taken_apart) {
                EXPECT_EQ(std::tuple(v.round, v.node, v.other), std::tuple(4U, 1U, 0U));
                parts.push_back(v.packet);
            }
        return parts;
    };
    EXPECT_THAT(told({those(3)}), ElementsAre(3));
    EXPECT_THAT(told({those(4)}), ElementsAre(4));
    EXPECT_THAT(told({those(2, 2)}), ElementsAre(3));
    EXPECT_THAT(told({those(1), those(4)}), ElementsAre(4));
    EXPECT_THAT(told({those(1, 3)}), ElementsAre(3));
    for (const std::vector<PacketBlock>& lawful : std::vector<std::vector<PacketBlock>>{{those(1)},
                                                                                        {those(2)},
                                                                                        {those(1, 2)},
                                                                                        {those(3, 2)},
                                                                                        {those(1), those(3, 2)},
                                                                                        {those(2, 3)},
                                                                                        {those(1, 4)}})
        EXPECT_THAT(told(lawful), IsEmpty());
}

/// How often a value is taken apart where node 0 of complete:9 receives {1}, {2, 3} and {4, 5, 6, 7}, each as large as what
/// it holds, perhaps {8} `before` or after them, and sends some contributions to node 8.
std::uint64_t taken_apart(const PacketBlock& sent, bool before = false) {
    const Round first = before ? 2 : 1;
    std::vector<Step> steps = {{first, 1, 0, {}, {those(1)}},        {first, 3, 2, {}, {those(3)}},
                               {first, 5, 4, {}, {those(5)}},        {first, 7, 6, {}, {those(7)}},
                               {first + 1, 2, 0, {}, {those(2, 2)}}, {first + 1, 6, 4, {}, {those(6, 2)}},
                               {first + 2, 4, 0, {}, {those(4, 4)}}};
    const Step other{before ? 1U : 4U, 8, 0, {}, {those(8)}};
    steps.insert(before ? steps.begin() : steps.end(), other);
    steps.push_back({5, 0, 8, {}, {sent}});
    const Machine machine = test::machine("complete:9");
    const Verdict verdict = audit(test::schedule(*machine.topology, steps), machine, {8, 8, Operation::reduce}, false);
    EXPECT_EQ(counted(verdict, Breach::sent_unheld), 0U);
    return counted(verdict, Breach::taken_apart);
}

TEST(AScheduleOfAReduction, PartsValuesThatDoubledWhatANodeHoldsOnlyWhereTheyJoined) {
    for (const bool before : {false, true}) {
        for (const PacketBlock& whole : {those(0), those(1), those(0, 2), those(2, 2), those(0, 4), those(1, 3),
                                         those(4, 4), those(2, 6), those(1, 7), those(0, 8), those(8), those(4, 5)})
            EXPECT_EQ(taken_apart(whole, before), 0U) << whole.first << " and " << whole.count;
        for (const PacketBlock& part :
             {those(2), those(3), those(1, 2), those(0, 3), those(4), those(4, 2), those(6, 2), those(5, 3),
              those(3, 5), those(0, 7), PacketBlock{0, 2, 4}, those(7, 2)})
            EXPECT_EQ(taken_apart(part, before), 1U) << part.first << " and " << part.count;
    }
}

TEST(AScheduleOfAReduction, GivesNoPrefixOfAValueThatHasMore) {
    // Of a scan on line:3: node 1 gets {0, 2} folded, and its prefix is {0, 1}.
    const Machine line = test::wormhole(machine("line:3"));
    const std::vector<Step> steps = {{1, 0, 2, {1, 1}, {those(0)}}, {2, 2, 1, {}, {{0, 2, 2}}}};
    const Schedule schedule = test::schedule(*line.topology, steps);
    EXPECT_THAT(test::sentences(audit(schedule, line, {0, 8, Operation::scan}, false), *line.topology),
                testing::IsSupersetOf({"delivery broken: the result of node 1 lacks the contribution of node 0"}));
}

TEST(AScheduleOfAReduction, IsCaughtWhenAContributionComesTwice) {
    std::vector<Step> twice = down_a_line;
    twice.push_back({3, 1, 0, {}, {those(2)}});
    EXPECT_THAT(audited(Operation::reduce, twice),
                ElementsAre(HasSubstr("NODUP broken: node 0 receives packet 2 again")));
}

TEST(AScheduleOfAReduction, MayReturnTheResultOnceToItsMaker) {
    // Everybody makes the result; node 0 sends it and gets it back, which breaks NOHO, and again, which breaks NODUP too.
    std::vector<Step> made = {{1, 0, 1, {}, {those(0)}}, {1, 1, 0, {}, {those(1)}}, {1, 1, 2, {}, {those(1)}},
                              {1, 2, 1, {}, {those(2)}}, {2, 1, 0, {}, {those(2)}}, {2, 1, 2, {}, {those(0)}},
                              {3, 0, 1, {}, {those(3)}}, {4, 1, 0, {}, {those(3)}}};
    const auto told = [&] {
        const Machine line = machine("line:3", PortLimit(2));
        return test::sentences(audit(test::schedule(*line.topology, made), line, {0, 8, Operation::allreduce}, false),
                               *line.topology);
    };
    EXPECT_THAT(told(), ElementsAre(HasSubstr("NOHO broken: node 0 receives packet 3")));
    made.push_back({5, 1, 0, {}, {those(3)}});
    EXPECT_THAT(told(), ElementsAre(HasSubstr("NOHO broken: node 0 receives packet 3"),
                                    HasSubstr("NODUP broken: node 0 receives packet 3 again"),
                                    HasSubstr("NOHO broken: node 0 receives packet 3")));
}

TEST(AScheduleOfAReduction, GivesOfAScanTheSumOfAllToTheLastNodeAlone) {
    // Node 2 makes the result of all, which is its own prefix and that of nobody else.
    const std::vector<Step> whole = {
        {1, 0, 1, {}, {those(0)}}, {2, 1, 2, {}, {those(0, 2)}}, {3, 2, 1, {}, {those(3)}}, {4, 1, 0, {}, {those(3)}}};
    EXPECT_THAT(audited(Operation::scan, whole), IsEmpty()) << "nodes 0 and 1 have their prefixes besides";
    const std::vector<Step> no_prefix = {
        {1, 0, 2, {1, 1}, {those(0)}}, {1, 1, 2, {}, {those(1)}}, {2, 2, 1, {}, {those(3)}}};
    Machine line = test::wormhole(machine("line:3", PortLimit(2)));
    EXPECT_THAT(test::sentences(audit(test::schedule(*line.topology, no_prefix), line, {0, 8, Operation::scan}, false),
                                *line.topology),
                testing::Contains("delivery broken: the result of node 1 lacks the contribution of node 0"));
}

TEST(AScheduleOfAReduction, IsCaughtWhenAContributionIsForwardedInTheRoundOfItsArrival) {
    const std::vector<Step> early = {{1, 2, 1, {}, {those(2)}}, {1, 1, 0, {}, {those(1, 2)}}};
    EXPECT_THAT(audited(Operation::reduce, early),
                testing::UnorderedElementsAre(HasSubstr("node 1 sends packet 2 in round 1 and does not hold it"),
                                              HasSubstr("NOHO broken: node 1 receives packet 2")));
}

}  // namespace
}  // namespace kport
