/// @file lifted_rules_test.cpp   NODUP and NOHO as law, counted, or off: what is counted is what would be broken, and is no breach.
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/run_algorithm.hpp"
#include "algorithms/run_with_fault.hpp"
#include "emulator/base/error.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Flooding breaks NODUP on every graph with a cycle; where the cycle is odd it breaks NOHO too (model.md section 3.1).
RunResult flooded(const std::string& spec, const Rules& rules, EngineKind engine = EngineKind::lockstep) {
    Machine machine = test::machine(spec, PortLimit::all());
    Collective asked = Collective::broadcast(0, 8);
    asked.rules = rules;
    RunOptions options;
    options.engine = engine;
    return run_algorithm(algorithm_named("flooding", machine, asked, {}), machine, asked, {}, Payload{true}, options);
}

constexpr Rules both_counted{.nodup = Force::counted, .noho = Force::counted};
constexpr Rules both_off{.nodup = Force::off, .noho = Force::off};

TEST(RulesOfTheOperation, ThatAreCountedSayHowOftenTheyWereNotKeptAndWhereFirst) {
    for (const std::string spec : {"ring:8", "ring:7", "mesh:4x4", "hypercube:3"})
        for (const EngineKind engine : test::both_engines) {
            const Verdict law = flooded(spec, {}, engine).verdict;
            const Verdict verdict = flooded(spec, both_counted, engine).verdict;
            EXPECT_FALSE(law.lawful());
            EXPECT_THAT(law.counted, IsEmpty());
            EXPECT_TRUE(verdict.lawful());
            EXPECT_EQ(verdict.violation_count, 0U);
            EXPECT_THAT(verdict.violations, IsEmpty());
            EXPECT_EQ(verdict.metrics, law.metrics);
            EXPECT_EQ(verdict.compared_bytes, law.compared_bytes);
            ASSERT_EQ(verdict.counted.size(), 2U);
            std::uint64_t all = 0;
            for (const Counted& rule : verdict.counted) {
                all += rule.count;
                EXPECT_EQ(rule.count, law.count(rule.rule));
                const auto first = std::ranges::find(law.violations, rule.rule, &Violation::rule);
                ASSERT_EQ(rule.first.has_value(), first != law.violations.end());
                if (rule.first) {
                    EXPECT_EQ(*rule.first, *first);
                }
            }
            EXPECT_EQ(all, law.violation_count);
        }
}

TEST(RulesOfTheOperation, ThatAreOffAreNotReported) {
    const Verdict verdict = flooded("ring:7", both_off).verdict;
    EXPECT_TRUE(verdict.lawful());
    EXPECT_THAT(verdict.counted, IsEmpty());
    EXPECT_EQ(verdict.judged_by, both_off);
    const Verdict one = flooded("ring:7", {.nodup = Force::off, .noho = Force::law}).verdict;
    EXPECT_FALSE(one.lawful());
    EXPECT_TRUE(one.kept(Rule::nodup));
    EXPECT_FALSE(one.kept(Rule::noho));
}

/// A fault, and what is said of it; nothing if it has no place.
std::optional<Finding> finding(Fault fault, const Algorithm& algorithm, const Machine& machine, const Collective& asked,
                               std::uint64_t seed) {
    const auto faulty = run_with_fault(algorithm, machine, asked, {}, {}, {}, {fault, {}, seed});
    if (!faulty || faulty->fair) return std::nullopt;
    EXPECT_EQ(faulty->faults.size(), 1U);
    return found(faulty->faults.front(), faulty->result.verdict).finding;
}

TEST(RulesOfTheOperation, ThatAreCountedCountWhatIsInjectedAlsoWhereTheRunDidNotKeepThemAnyway) {
    const std::pair<Fault, Rules> against[] = {{Fault::duplicate, {.nodup = Force::counted, .noho = Force::off}},
                                               {Fault::echo, {.nodup = Force::off, .noho = Force::counted}}};
    for (const char* const spec : {"debruijn:2,3", "ring:7", "line:3"})
        for (const auto& [fault, rules] : against)
            for (const char* const name : {"flooding", "controlled-flooding"}) {
                const Machine machine = test::machine(spec, PortLimit::all());
                Collective asked = Collective::broadcast(0, 8);
                asked.rules = rules;
                for (std::uint64_t seed = 1; seed <= 8; ++seed)
                    EXPECT_EQ(finding(fault, algorithm_named(name, machine, asked, {}), machine, asked, seed),
                              Finding::counted)
                        << spec << " " << name << " " << info(fault).name << " " << seed;
                std::swap(asked.rules.nodup, asked.rules.noho);
                EXPECT_EQ(finding(fault, algorithm_named(name, machine, asked, {}), machine, asked, 1),
                          Finding::not_looked_at);
            }
}

TEST(RulesOfTheOperation, ThatAreNoLawLetNoFaultBeMissed) {
    constexpr Rules all[] = {both_counted, both_off, {.nodup = Force::off, .noho = Force::law}};
    for (const char* const spec : {"debruijn:2,3", "ring:5", "line:3"})
        for (const Rules& rules : all)
            for (const Operation& operation : {Operation::broadcast, Operation::scatter, Operation::allgather}) {
                const Machine machine = test::machine(spec, PortLimit::all());
                Collective asked{operation, 0, 8};
                asked.rules = rules;
                for (const Algorithm* const algorithm : applicable(machine, asked, {}))
                    for (const FaultInfo& fault : faults()) {
                        if (fault.fault == Fault::malformed) continue;
                        for (std::uint64_t seed = 1; seed <= 2; ++seed)
                            EXPECT_NE(finding(fault.fault, *algorithm, machine, asked, seed), Finding::missed)
                                << spec << " " << algorithm->name << " " << fault.name << " " << seed;
                    }
            }
}

TEST(RulesOfTheOperation, OfSchedulesAreJudgedTheSame) {
    const Machine ring = test::machine("ring:4", PortLimit::all());
    const std::vector<test::Step> steps = {{1, 0, 1}, {1, 0, 3}, {2, 1, 2}, {2, 3, 2}, {3, 2, 3}};
    Collective asked = Collective::broadcast(0, 8);
    const Verdict law = audit(test::schedule(*ring.topology, steps), ring, asked, false);
    asked.rules = both_counted;
    const Verdict verdict = audit(test::schedule(*ring.topology, steps), ring, asked, false);
    EXPECT_TRUE(verdict.lawful());
    ASSERT_EQ(verdict.counted.size(), 2U);
    EXPECT_EQ(verdict.counted[0].count + verdict.counted[1].count, law.violation_count);
    // The machine's rules stay law.
    std::vector<test::Step> wrong = steps;
    wrong.push_back({4, 0, 2, {1}});
    EXPECT_FALSE(audit(test::schedule(*ring.topology, wrong), ring, asked, false).lawful());
}

std::string refusal(const std::function<void()>& what) {
    try {
        what();
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

TEST(RulesOfTheOperation, AreReadAndWritten) {
    EXPECT_EQ(rules_named("nodup=count,noho=off"), (Rules{Force::counted, Force::off}));
    EXPECT_EQ(rules_named("noho=law"), Rules{});
    EXPECT_EQ(text(rules_named("noho=off,nodup=count")), "nodup=count,noho=off");
    EXPECT_EQ(text(Rules{}), "");
    EXPECT_EQ(rules_named("agree=law"), (Rules{Force::law, Force::law, Force::law}));
    EXPECT_EQ(text(rules_named("agree=law")), "agree=law");
    EXPECT_EQ(text(rules_named("agree=count")), "") << "it is counted by default";
    EXPECT_EQ(refusal([] { (void)rules_named("ports=off"); }),
              "rules 'ports=off': ports is a rule of the machine, and law; nodup, noho and agree may be counted "
              "or off");
    for (const char* machine :
         {"channels=count", "links=off", "holding=off", "delivery=off", "rounds=off", "transfers=off", "broken=off"})
        EXPECT_THAT(refusal([&] { (void)rules_named(machine); }), HasSubstr("is a rule of the machine, and law"));
    EXPECT_EQ(refusal([] { (void)rules_named("nodup=off,nodup=law"); }),
              "rules 'nodup=off,nodup=law': nodup is named twice; want it once");
    EXPECT_EQ(refusal([] { (void)rules_named("nodup=maybe"); }),
              "rules 'nodup=maybe': 'maybe' is unknown; want law, count or off");
    EXPECT_EQ(refusal([] { (void)rules_named("noho=off,nodpu=off"); }),
              "rules 'noho=off,nodpu=off': 'nodpu' is no rule; did you mean 'nodup'? (nodup, noho, agree, ports, "
              "channels, links, combining, holding, delivery, strict, rounds, transfers, broken)");
    EXPECT_THAT(refusal([] { (void)rules_named("x=off"); }), HasSubstr("'x' is no rule (nodup, noho, agree, ports,"));
    for (const char* unclear : {"", "nodup", "nodup=off,", "=", ","})
        EXPECT_THAT(refusal([&] { (void)rules_named(unclear); }), HasSubstr("is not clear")) << unclear;
    EXPECT_THAT(
        refusal([&] {
            Job sum;
            sum.machine = test::machine("ring:4");
            sum.program = [](Node&) -> Program { co_return; };
            sum.collective = Collective::allreduce(8);
            sum.collective.rules = both_counted;
            (void)run(sum, {});
        }),
        HasSubstr("allreduce folds contributions by sum, which is not idempotent, and NODUP and NOHO are law there"));
}

}  // namespace
}  // namespace kport
