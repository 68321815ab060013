// The auditor and the umpire judge the same schedules and never disagree (stress/second_opinion.hpp).
#include "app/stress/second_opinion.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "tests/stress/games.hpp"
#include "tests/stress/stories.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::Games;
using test::ScheduledGame;

/// KPORT_CASES=1000000 for a long run by hand, KPORT_SEED for another one.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string opinion_on(const ScheduledGame& game) {
    const Verdict verdict = audit(game.schedule, game.machine, game.collective, false);
    const std::string text = second_opinion(game.schedule, game.machine, game.collective, verdict);
    return text.empty() ? text : text + "\n" + game.text() + test::text(verdict, *game.machine.topology);
}

constexpr std::uint64_t few = test::under_address_sanitizer ? 2'000 : 20'000;

TEST(Umpire, AgreesWithTheAuditorOnEveryRandomSchedule) {
    const std::uint64_t cases = from_environment("KPORT_CASES", few);
    Games games(from_environment("KPORT_SEED", 1));
    std::uint64_t broken = 0;
    for (std::uint64_t i = 0; i < cases; ++i) {
        const ScheduledGame game = games.any();
        ASSERT_EQ(opinion_on(game), "") << "case " << i;
        broken += audit(game.schedule, game.machine, game.collective, false).lawful() ? 0 : 1;
    }
    EXPECT_GT(broken, cases / 2) << "most games break something";
    EXPECT_LT(broken, cases) << "and some break nothing";
}

TEST(Umpire, AgreesWithTheAuditorOnMachinesWithSwitchesTrunksAndLimits) {
    const std::uint64_t cases = from_environment("KPORT_CASES", few) / 2;
    Games games(from_environment("KPORT_SEED", 1) + 7, Games::On::switches);
    std::uint64_t broken = 0;
    for (std::uint64_t i = 0; i < cases; ++i) {
        const ScheduledGame game = games.any();
        ASSERT_EQ(opinion_on(game), "") << "case " << i;
        broken += audit(game.schedule, game.machine, game.collective, false).lawful() ? 0 : 1;
    }
    EXPECT_GT(broken, cases / 2) << "most games break something";
    EXPECT_LT(broken, cases) << "and some break nothing";
}

TEST(Umpire, AgreesWhateverRulesAreLaw) {
    constexpr Force forces[] = {Force::law, Force::counted, Force::off};
    Games games(from_environment("KPORT_SEED", 1) + 3);
    std::uint64_t lifted = 0;
    for (std::uint64_t i = 0; i < few / 4; ++i) {
        ScheduledGame game = games.any();
        game.collective.rules = {forces[i % 3], forces[i / 3 % 3]};
        ASSERT_EQ(opinion_on(game), "") << "case " << i << ", rules '" << text(game.collective.rules) << "'";
        const Verdict verdict = audit(game.schedule, game.machine, game.collective, false);
        const auto is_broken = [](const Counted& counted) { return counted.count != 0; };
        lifted += verdict.lawful() && std::ranges::any_of(verdict.counted, is_broken) ? 1 : 0;
    }
    EXPECT_GT(lifted, 0U) << "some break rules that are no law, and nothing else";
}

TEST(Umpire, ObjectsToACountedRuleWhoseCasesAreNotTheAuditors) {
    // Flooding a ring: nodes receive again. An auditor that missed it, or named another node first, is found out.
    const Machine ring = test::machine("ring:6", PortLimit::all());
    Collective collective = Collective::broadcast(0, 8);
    collective.rules = {Force::counted, Force::counted};
    Schedule schedule;
    RunOptions record;
    record.recorded_schedule = &schedule;
    const Algorithm* flooding = find_algorithm(Operation::broadcast, "flooding");
    const Verdict verdict = run_algorithm(*flooding, ring, collective, {}, {}, record).verdict;
    ASSERT_TRUE(verdict.lawful());
    ASSERT_NE(verdict.counted.front().count, 0U);
    EXPECT_EQ(second_opinion(schedule, ring, collective, verdict), "");
    Verdict blind = verdict;
    blind.counted.front() = {Rule::nodup, 0, std::nullopt};
    EXPECT_EQ(second_opinion(schedule, ring, collective, blind), "nodup: kept says the auditor");
    Verdict elsewhere = verdict;
    for (Counted& counted : elsewhere.counted)
        if (counted.first) counted.first->node = 0;
    EXPECT_THAT(second_opinion(schedule, ring, collective, elsewhere), testing::HasSubstr("the auditor alone counts"));
}

std::string text(const Violation& v) {
    return fmt::format("breach {} round {} node {} port {} packet {} other {} earlier {} from {} limit {}",
                       static_cast<int>(v.breach), v.round, v.node, v.port, v.packet, v.other, v.earlier,
                       v.earlier_other, v.limit);
}
std::string text(const RoundMetrics& r) {
    return fmt::format("round {}: {} transfers, {} hops, longest {}, largest {}, {} bytes, {} reached, slowest {}",
                       r.round, r.transfers, r.hops, r.longest_path, r.largest_bundle, r.bytes, r.reached, r.slowest);
}
template <class List>
std::string text_of(const List& list, std::size_t most) {
    std::string lines;
    for (std::size_t i = 0; i < std::min(most, list.size()); ++i) lines += text(list[i]) + "\n";
    return lines;
}

/// Without what the reference does not say.
std::vector<Violation> comparable(std::vector<Violation> violations, const Machine& machine) {
    for (Violation& v : violations)
        if (!test::counts_each_use(machine) && v.rule() == Rule::ports) {
            v.port = no_port;
            v.other = no_node;
        }
    std::sort(violations.begin(), violations.end());
    return violations;
}

TEST(Violations, EqualTheReferenceForEveryRandomSchedule) {
    const std::uint64_t cases = from_environment("KPORT_CASES", few) / 2;
    Games games(from_environment("KPORT_SEED", 1) + 1);
    for (std::uint64_t i = 0; i < cases; ++i) {
        const ScheduledGame game = games.any();
        // The reference knows one segment, and signals as packets.
        if (game.collective.signals() || game.collective.operation == Operation::reduce_scatter) continue;
        const Verdict verdict = audit(game.schedule, game.machine, game.collective, true);
        const test::Stories stories = test::stories_of(game);
        ASSERT_EQ(verdict.violation_count, stories.violations.size()) << "case " << i << "\n" << game.text();
        ASSERT_EQ(text_of(comparable(verdict.violations, game.machine), ViolationLog::listed_max),
                  text_of(stories.violations, ViolationLog::listed_max))
            << "case " << i << "\n"
            << game.text();
        ASSERT_EQ(text_of(verdict.per_round, verdict.per_round.size()),
                  text_of(stories.per_round, stories.per_round.size()))
            << "case " << i << "\n"
            << game.text();
    }
}

/// Shows an auditor of several shards, to which the nodes are dealt, what an audit shows.
class Dealt final : public RoundListener {
  public:
    Dealt(const Machine& machine, Auditor& auditor, unsigned shards)
        : rounds_(machine, auditor), shards_(shards), all_(shards) {
        std::iota(all_.begin(), all_.end(), 0U);
    }
    void moved(Round round, std::span<const Transfer> transfers) override {
        for (const Transfer& t : transfers) rounds_.sent(static_cast<unsigned>(t.from % shards_), round, t);
        rounds_.moved(round, transfers);
        for (const Transfer& t : transfers) rounds_.received(static_cast<unsigned>(t.to % shards_), round, t);
        rounds_.close(round, all_);
    }

  private:
    RoundSink rounds_;
    unsigned shards_;
    std::vector<unsigned> all_;
};

Verdict judged_in_shards(const ScheduledGame& game, unsigned shards) {
    Auditor auditor(game.machine, game.collective, shards, true);
    Dealt dealt(game.machine, auditor, shards);
    ScheduleAudit in_order(game.schedule, game.machine, game.collective, false);
    in_order.add(dealt);
    while (in_order.next()) {
    }
    auditor.expect_no_results();
    return auditor.finish();
}

TEST(Shards, GiveTheSameVerdictForEveryOperation) {
    Games games(from_environment("KPORT_SEED", 1) + 2);
    for (std::uint64_t i = 0; i < few / 20; ++i) {
        const ScheduledGame game = games.any();
        const Topology& topology = *game.machine.topology;
        const std::string told = test::text(audit(game.schedule, game.machine, game.collective, true), topology);
        for (const unsigned shards : {2U, 5U})
            ASSERT_EQ(test::text(judged_in_shards(game, shards), topology), told) << "case " << i << "\n"
                                                                                  << game.text();
    }
}

/// What is folded, by every operator: drawn, and given with what rounds, overflows, or has no sign.
std::vector<Reduction> reductions_of(NodeId nodes) {
    std::vector<Reduction> all;
    for (const Operator& op : {Operator::sum, Operator::min, Operator::max, Operator::exclusive_or})
        all.push_back({op, ElementType::int64, {}});
    for (const Operator& op : {Operator::sum, Operator::min, Operator::max})
        for (const auto& given : {std::vector<std::string>{}, {"0.1", "-0", "0"}, {"1e308", "-1e308", "1e308"}}) {
            Reduction reals{op, ElementType::real, {}};
            for (NodeId v = 0; v < nodes && !given.empty(); ++v) reals.values.push_back(given[v % given.size()]);
            all.push_back(reals);
        }
    all.push_back({Operator::concat, ElementType::text, {}});
    return all;
}

TEST(Umpire, FindsTheResultsOfEveryReductionRightAndSeesWhatIsChanged) {
    for (const char* spec : {"hypercube:3", "line:5", "mesh:3x4", "complete:6"})
        for (const Operation& operation : {Operation::reduce, Operation::allreduce, Operation::scan})
            for (const Reduction& reduction : reductions_of(make_topology(spec)->nodes())) {
                const Machine machine = test::machine(spec);
                const NodeId nodes = machine.topology->nodes();
                const Collective collective{operation, operation == Operation::reduce ? nodes / 2 : 0, 16};
                AlgorithmOptions options;
                options.reduction = reduction;
                const Folder folder(reduction, 16, 1, true);
                std::vector<std::string> contributions;
                for (NodeId v = 0; v < nodes; ++v) {
                    const std::vector<std::byte> bytes = folder.contribution(v);
                    contributions.push_back(folder.text(bytes.data(), bytes.size()));
                }
                for (const Algorithm* algorithm : applicable(machine, collective, options)) {
                    SCOPED_TRACE(fmt::format("{} {} on {}, {} of {}", name(operation), algorithm->name, spec,
                                             name(reduction.op), name(reduction.type)));
                    const RunResult run = run_algorithm(*algorithm, machine, collective, options, {}, {});
                    EXPECT_TRUE(run.verdict.lawful());
                    const auto opinion = [&](const std::vector<std::string>& results) {
                        return opinion_on_results(collective, reduction, contributions, results);
                    };
                    EXPECT_EQ(opinion(run.results), "");
                    if (folder.brackets_matter()) continue;
                    std::vector<std::string> changed = run.results;
                    changed.back() = "4711";
                    EXPECT_THAT(opinion(changed), testing::HasSubstr("gives '4711'"));
                    changed.pop_back();
                    EXPECT_THAT(opinion(changed), testing::HasSubstr("gives no result"));
                }
            }
}

}  // namespace
}  // namespace kport
