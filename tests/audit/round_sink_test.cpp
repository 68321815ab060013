/// @file round_sink_test.cpp   RoundSink: listeners see what the auditor judges, in every execution.
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/audit/round_sink.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using testing::ElementsAre;

/// Writes down what it hears.
class Heard final : public RoundListener {
  public:
    explicit Heard(bool wants_transfers) : wants_transfers_(wants_transfers) {}
    [[nodiscard]] bool wants_transfers() const override { return wants_transfers_; }
    void moved(Round round, std::span<const Transfer> transfers) override {
        said.push_back(fmt::format("{} move in round {}", transfers.size(), round));
    }
    void silent(Round first, std::uint64_t count) override { said.push_back(fmt::format("{} from {}", count, first)); }
    void closed(const RoundMetrics& round, const Metrics& so_far, std::uint64_t) override {
        said.push_back(fmt::format("round {} is over: {} of {}", round.round, round.transfers, so_far.transfers));
    }
    std::vector<std::string> said;

  private:
    bool wants_transfers_;
};

TEST(ListenersOfARoundSink, HearWhatTheAuditorJudgesInItsOrder) {
    for (const bool wormhole : {false, true}) {
        const Machine line = wormhole ? test::wormhole(test::machine("line:4")) : test::machine("line:4");
        const Schedule moves = test::schedule(*line.topology, {{1, 0, 1}, {4, 0, 1}, {4, 1, 2}});
        Auditor auditor(line, Collective::broadcast(0, 8), 1, false);
        RoundSink rounds(line, auditor);
        Heard all(true);
        Heard counts(false);
        rounds.add(counts);
        EXPECT_FALSE(rounds.wants_transfers());
        rounds.add(all);
        EXPECT_TRUE(rounds.wants_transfers());
        const std::vector<Transfer> first{moves.transfer(0)};
        const std::vector<Transfer> last{moves.transfer(1), moves.transfer(2)};
        rounds.show(1, first);
        rounds.silent(2, 2);
        rounds.show(4, last);
        EXPECT_THAT(all.said, ElementsAre("1 move in round 1", "round 1 is over: 1 of 1", "2 from 2",
                                          "2 move in round 4", "round 4 is over: 2 of 3"));
        EXPECT_THAT(counts.said, ElementsAre("round 1 is over: 1 of 1", "2 from 2", "round 4 is over: 2 of 3"));
        const Verdict verdict = auditor.finish();
        EXPECT_EQ(verdict.metrics.transfers, 3U);
        EXPECT_EQ(verdict.metrics.silent_rounds, 2U);
        EXPECT_TRUE(verdict.kept(Rule::transfers)) << "both sides, and the paths";
    }
}

TEST(ARecorder, WritesARoundAndASilence) {
    const Machine line = test::machine("line:4");
    Schedule moves = test::schedule(*line.topology, {{1, 0, 1}, {4, 1, 2}});
    moves.add_silent(2, 2);
    Schedule written;
    Recorder recorder(written);
    ScheduleAudit audited(moves, line, Collective::broadcast(0, 8), false);
    audited.add(recorder);
    while (audited.next()) {
    }
    EXPECT_EQ(written, moves);
}

}  // namespace
}  // namespace kport
