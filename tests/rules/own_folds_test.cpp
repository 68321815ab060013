/// @file own_folds_test.cpp   Folds that a user promises, kept and broken by programs, with bytes.
///
/// Source   docs/schedules.md, a promise of your own; model.md section 8 (delivery).
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "app/files/promise_file.hpp"
#include "tests/rules/reductions.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::counted;
using test::on;
using testing::ElementsAre;

const char* const two_sums =
    "promise two-sums\non complete:4\nsegments 2\ngives 0-3: 0, 1\ntakes 0: 0 of 0-3\ntakes 1-3: 1 of 0, 2 in order\n"
    "relay none\n";
const char* const sum_at_0 = "on complete:3\nsegments 1\ngives 0-2: 0\ntakes 0: 0 of 0-2\n";

/// A job of all nodes on the promise's machine, with all ports.
Job promising(const std::string& promise, ProgramFactory program, const Reduction& reduction = {}) {
    std::istringstream in(promise);
    const ToldPromise told = read_promise(in, "p.txt", nullptr, 8);
    Machine machine = test::machine(told.topology->spec());
    machine.ports = PortLimit::all();
    Job job = test::job_of_all(machine, std::move(program));
    job.collective = told.collective;
    job.reduction = reduction;
    return job;
}

Port port_to(const Node& self, NodeId v) { return self.topology().port_to(self.id(), v); }

PacketSet segment(std::uint32_t s) { return PacketSet::range(s, s + 1); }

Program keeping_two_sums(Node& self) {
    const bool is_giver = self.id() == 1 || self.id() == 3;
    if (self.id() == 0) {
        co_await self.send(port_to(self, 2), self.contribution(segment(1)));
        Value sum = self.contribution(segment(0));
        for (int i = 0; i < 3; ++i) {
            const Arrival came = co_await self.receive();
            sum = self.merge(sum, came.value());
        }
        self.result(sum);
    } else if (self.id() == 2) {
        const Arrival came = co_await self.receive();
        const Value sum = self.merge(came.value(), self.contribution(segment(1)));
        self.result(sum);
        co_await self.send(port_to(self, 1), sum);
        co_await self.send(port_to(self, 3), sum);
        co_await self.send(port_to(self, 0), self.contribution(segment(0)));
    } else if (is_giver) {
        co_await self.send(port_to(self, 0), self.contribution(segment(0)));
        const Arrival came = co_await self.receive();
        self.result(came.value());
    }
}

TEST(FoldsOfAPromise, AreKeptWithTheValuesOfJustTheirContributions) {
    for (const EngineKind engine : both_engines)
        for (const ElementType& type : {ElementType::int64, ElementType::real}) {
            const RunResult result = run(
                promising(two_sums, keeping_two_sums, {Operator::sum, type, {"1", "20", "300", "4000"}}), on(engine));
            EXPECT_TRUE(result.verdict.lawful());
            EXPECT_EQ(result.verdict.compared_packets, 4U);
            EXPECT_THAT(result.results, ElementsAre("4321", "301", "301", "301"));
            ASSERT_TRUE(result.agreement);
            EXPECT_EQ(result.agreement->holders, 3U) << "of segment 1";
            EXPECT_EQ(result.agreement->different, 1U);
        }
}

Program keeping_sum_at_0(Node& self) {
    if (self.id() != 0) {
        co_await self.send(port_to(self, 0), self.contribution());
        co_return;
    }
    std::vector<Value> values{self.contribution(), {}, {}};
    for (int i = 0; i < 2; ++i) {
        const Arrival came = co_await self.receive();
        values[came.from] = came.value();
    }
    self.result(self.fold(self.fold(values[0], values[1]), values[2]));
}

TEST(FoldsOfAPromise, OfAnOperatorThatDoesNotCommuteAreTakenInOrderAlone) {
    const Reduction letters{Operator::concat, ElementType::text, {"a", "b", "c"}};
    const std::string in_order = "on complete:3\nsegments 1\ngives 0-2: 0\ntakes 0: 0 of 0-2 in order\n";
    for (const EngineKind engine : both_engines)
        EXPECT_THAT(run(promising(in_order, keeping_sum_at_0, letters), on(engine)).results,
                    ElementsAre("abc", "", ""));
    EXPECT_THROW((void)run(promising(sum_at_0, keeping_sum_at_0, letters), on(EngineKind::lockstep)), RequestError);
}

/// What node 0 makes of its contribution and of what came from nodes 1 and 2, which is its result.
using Making = std::function<Value(Node&, const Value&, const Value&, const Value&)>;

ProgramFactory making(Making make) {
    return [make](Node& self) -> Program {
        return [](Node& node, Making how) -> Program {
            if (node.id() != 0) {
                co_await node.send(port_to(node, 0), node.contribution());
                co_return;
            }
            std::vector<Value> values{node.contribution(), {}, {}};
            for (int i = 0; i < 2; ++i) {
                const Arrival came = co_await node.receive();
                values[came.from] = came.value();
            }
            node.result(how(node, values[0], values[1], values[2]));
        }(self, make);
    };
}

TEST(FoldsOfAPromise, ThatHaveAContributionTwiceOrLackOneAreCaught) {
    for (const EngineKind engine : both_engines) {
        const Verdict twice =
            run(promising(sum_at_0, making([](Node& node, const Value& a, const Value& b, const Value& c) {
                              return node.fold(node.fold(node.fold(a, b), c), c);
                          })),
                on(engine))
                .verdict;
        EXPECT_EQ(counted(twice, Breach::folded_twice), 1U);
        EXPECT_FALSE(twice.delivered);
        const Verdict lacking = run(promising(sum_at_0, making([](Node& node, const Value& a, const Value& b,
                                                                  const Value&) { return node.fold(a, b); })),
                                    on(engine))
                                    .verdict;
        EXPECT_EQ(test::the(Breach::result_lacks, lacking).packet, 2U);
        EXPECT_FALSE(lacking.delivered);
        EXPECT_EQ(lacking.holders, 2U) << "nodes 1 and 2 are promised nothing";
    }
}

// The sum is the same whatever the order, and the bytes are right.
TEST(FoldsOfAPromise, InOrderAreOfNeighboursInTheListAlone) {
    const std::string in_order = "on complete:3\nsegments 1\ngives 0-2: 0\ntakes 0: 0 of 0-2 in order\n";
    const Making outer_first = [](Node& node, const Value& a, const Value& b, const Value& c) {
        return node.fold(node.fold(a, c), b);
    };
    const Making inner_first = [](Node& node, const Value& a, const Value& b, const Value& c) {
        return node.fold(node.fold(c, b), a);
    };
    for (const EngineKind engine : both_engines) {
        const Verdict broken = run(promising(in_order, making(outer_first)), on(engine)).verdict;
        EXPECT_EQ(counted(broken, Breach::not_side_by_side), 2U) << "nodes 0 and 2, then 1 with both";
        EXPECT_FALSE(broken.lawful());
        EXPECT_TRUE(run(promising(in_order, making(inner_first)), on(engine)).verdict.lawful());
        EXPECT_TRUE(run(promising(sum_at_0, making(outer_first)), on(engine)).verdict.lawful());
    }
    const std::string of_0_and_2 = "on complete:3\nsegments 1\ngives 0-2: 0\ntakes 0: 0 of 0, 2 in order\n";
    const Making outer = [](Node& node, const Value& a, const Value&, const Value& c) { return node.fold(a, c); };
    EXPECT_TRUE(run(promising(of_0_and_2, making(outer)), on(EngineKind::lockstep)).verdict.lawful())
        << "they are neighbours in that list, and what node 1 sent is left out";
}

TEST(FoldsOfAPromise, ThatAreOfAnotherSegmentOrNotDueAreCaught) {
    const std::string promise = "on complete:2\nsegments 2\ngives 0-1: 0, 1\ntakes 0: 0 of 0-1\n";
    const auto program = [](bool other_segment, bool is_due) -> ProgramFactory {
        return [=](Node& self) -> Program {
            return [](Node& node, bool other, bool due) -> Program {
                const Value all = node.contribution();
                co_await node.send(0, all);
                const Arrival came = co_await node.receive();
                const Value sum = node.fold(node.id() == 0 ? all : came.value(), node.id() == 0 ? came.value() : all);
                if ((node.id() == 0) == due) node.result(node.cut(sum, segment(other ? 1 : 0)));
            }(self, other_segment, is_due);
        };
    };
    for (const EngineKind engine : both_engines) {
        EXPECT_TRUE(run(promising(promise, program(false, true)), on(engine)).verdict.lawful());
        const Verdict other = run(promising(promise, program(true, true)), on(engine)).verdict;
        EXPECT_EQ(counted(other, Breach::result_lacks), 1U);
        EXPECT_EQ(counted(other, Breach::result_exceeds), 1U);
        const Verdict not_due = run(promising(promise, program(false, false)), on(engine)).verdict;
        EXPECT_EQ(test::the(Breach::result_not_due, not_due).node, 1U);
        EXPECT_EQ(counted(not_due, Breach::never_a_result), 1U) << "of node 0";
    }
}

// Node 1 folds what comes from node 2 into what it sends, and node 0 is to take nodes 0 and 1 alone.
TEST(FoldsOfAPromise, AreNotTakenApart) {
    const std::string promise = "on complete:3\nsegments 1\ngives 0-2: 0\ntakes 0: 0 of 0-1\n";
    const auto program = [](Node& self) -> Program {
        if (self.id() == 2) co_await self.send(port_to(self, 1), self.contribution());
        if (self.id() == 1) {
            const Arrival came = co_await self.receive();
            co_await self.send(port_to(self, 0), self.fold(self.contribution(), came.value()));
        }
        if (self.id() == 0) {
            const Arrival came = co_await self.receive();
            self.result(self.fold(self.contribution(), came.value()));
        }
    };
    for (const EngineKind engine : both_engines) {
        const Verdict verdict = run(promising(promise, program), on(engine)).verdict;
        EXPECT_EQ(test::the(Breach::result_exceeds, verdict).packet, 2U);
        EXPECT_FALSE(verdict.delivered);
    }
}

TEST(FoldsOfAPromise, BreakTheRuleOfRelaysWhereOthersPassThemOn) {
    const auto along_the_line = [](Node& self) -> Program {
        if (self.id() == 0) co_await self.send(port_to(self, 1), self.contribution());
        if (self.id() == 0) co_return;
        const Arrival came = co_await self.receive();
        if (self.id() == 1)
            co_await self.send(port_to(self, 2), came.value());
        else
            self.result(came.value());
    };
    const std::string promise = "on line:3\nsegments 1\ngives 0: 0\ntakes 2: 0 of 0\n";
    for (const EngineKind engine : both_engines) {
        EXPECT_TRUE(run(promising(promise, along_the_line), on(engine)).verdict.lawful());
        EXPECT_TRUE(run(promising(promise + "relay 1\n", along_the_line), on(engine)).verdict.lawful());
        const Verdict barred = run(promising(promise + "relay none\n", along_the_line), on(engine)).verdict;
        EXPECT_EQ(barred.count(Rule::relay), 2U);
        EXPECT_TRUE(barred.delivered);
    }
}

TEST(FoldsOfAPromise, HaveAResultThatIsPassedOnWhereAllTakersTakeTheSame) {
    const auto back_and_forth = [](Node& self) -> Program {
        if (self.id() != 0) {
            co_await self.send(port_to(self, 0), self.contribution());
            const Arrival came = co_await self.receive();
            self.result(came.value());
            co_return;
        }
        Value sum = self.contribution();
        for (int i = 0; i < 2; ++i) {
            const Arrival came = co_await self.receive();
            sum = self.merge(sum, came.value());
        }
        sum = self.whole(sum);
        self.result(sum);
        co_await self.send(port_to(self, 1), sum);
        co_await self.send(port_to(self, 2), sum);
    };
    const std::string same = "on complete:3\nsegments 1\ngives 0-2: 0\ntakes 0-2: 0 of 0-2\n";
    const std::string different = "on complete:3\nsegments 1\ngives 0-2: 0\ntakes 0-1: 0 of 0-2\ntakes 2: 0 of 0-1\n";
    for (const EngineKind engine : both_engines) {
        EXPECT_TRUE(run(promising(same, back_and_forth), on(engine)).verdict.lawful());
        EXPECT_THROW((void)run(promising(different, back_and_forth), on(engine)), ProgramError);
    }
}

TEST(FoldsOfAPromise, HaveNoContributionOfANodeThatGivesNone) {
    const std::string promise = "on complete:3\nsegments 1\ngives 0-1: 0\ntakes 0: 0 of 0-1\n";
    EXPECT_THROW((void)run(promising(promise, keeping_sum_at_0), on(EngineKind::lockstep)), ProgramError);
}

TEST(FoldsOfAPromise, ThatCannotBeKeptAreRefused) {
    OwnCollective own{.name = "sums", .packets = 1, .owned = [](NodeId v) { return PacketSet::range(v, v + 1); }};
    const auto why = [&](TakenFold fold) {
        own.folds = std::make_shared<const OwnFolds>(std::vector<TakenFold>{std::move(fold)});
        try {
            require_valid(Collective::custom(own), *make_topology("complete:3"));
        } catch (const RequestError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_EQ(why({.node = 0, .segment = 0, .of = PacketSet::range(0, 3)}), "accepted");
    EXPECT_THAT(why({.node = 3, .segment = 0, .of = PacketSet::range(0, 3)}), testing::HasSubstr("want a node"));
    EXPECT_NE(why({.node = 0, .segment = 0, .of = PacketSet::range(0, 4)}), "accepted");
    EXPECT_NE(why({.node = 0, .segment = 1, .of = PacketSet::range(0, 3)}), "accepted");
    EXPECT_NE(why({.node = 0, .segment = 0, .of = {}}), "accepted");
    own.owned = [](NodeId) { return PacketSet::range(0, 1); };
    EXPECT_THAT(why({.node = 0, .segment = 0, .of = PacketSet::range(0, 1)}), testing::HasSubstr("of others"));
}

}  // namespace
}  // namespace kport
