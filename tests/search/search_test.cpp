#include "app/search/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "app/files/schedule_file.hpp"
#include "app/search/solver.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "tests/search/problems.hpp"

namespace kport::search {
namespace {

/// The fewest rounds by brute force: all states that any calls of a round lead to, no cleverness. A state says for each node
/// which packets it knows.
class BruteForce {
  public:
    using State = std::vector<std::uint32_t>;

    explicit BruteForce(const Problem& problem) : problem_(problem), graph_(*problem.topology) {}

    [[nodiscard]] Round fewest() {
        State start(graph_.nodes());
        State end(graph_.nodes(), 1);
        if (problem_.gossip()) {
            for (Node32 v = 0; v < graph_.nodes(); ++v) start[v] = 1U << v;
            end.assign(graph_.nodes(), (1U << graph_.nodes()) - 1);
        } else {
            for (const NodeId s : problem_.sources) start[s] = 1;
        }
        std::set<State> reached = {start};
        for (Round round = 0;; ++round) {
            if (reached.contains(end)) return round;
            next_.clear();
            for (const State& state : reached) {
                state_ = state;
                out_.assign(graph_.nodes(), 0);
                in_.assign(graph_.nodes(), 0);
                choose(0, 0, state);
            }
            reached = next_;
        }
    }

  private:
    /// Calls from node u on, to its i-th neighbour on.
    void choose(Node32 u, std::size_t i, const State& after) {
        while (u < graph_.nodes() && i == graph_.neighbours(u).size()) {
            ++u;
            i = 0;
        }
        if (u == graph_.nodes()) {
            next_.insert(after);
            return;
        }
        choose(u, i + 1, after);
        const Node32 v = graph_.neighbours(u)[i];
        const bool both = problem_.mode == Mode::telephone;
        if ((both && u > v) || !is_free(u, v)) return;
        State more = after;
        more[v] |= state_[u];
        if (both) more[u] |= state_[v];
        if (more == after) return;
        ++out_[u];
        ++in_[v];
        choose(u, i + 1, more);
        --out_[u];
        --in_[v];
    }
    [[nodiscard]] bool is_free(Node32 u, Node32 v) const {
        if (problem_.mode == Mode::kport) return out_[u] < problem_.ports.k() && in_[v] < problem_.ports.k();
        return out_[u] + in_[u] == 0 && out_[v] + in_[v] == 0;
    }

    const Problem& problem_;
    Graph graph_;
    State state_;
    std::vector<Port> out_;
    std::vector<Port> in_;
    std::set<State> next_;
};

RC_GTEST_PROP(Search, FindsTheFewestRoundsOfABroadcast, ()) {
    const Problem problem = any_broadcast(7);
    const Round fewest = BruteForce(problem).fewest();
    for (const bool solver : {true, false}) {
        SearchOptions options;
        options.solver = solver;
        const Found found = fewest_rounds(problem, options);
        RC_ASSERT(found.exact());
        RC_ASSERT(found.most == fewest);
        RC_ASSERT(found.verdict.lawful());
    }
}

RC_GTEST_PROP(Search, FindsTheFewestRoundsOfAGossip, ()) {
    if (solver_name().empty()) return;
    Problem problem;
    problem.topology = any_graph(5);
    problem.operation = Operation::allgather;
    problem.mode = *rc::gen::element(Mode::kport, Mode::telephone, Mode::telegraph);
    const Found found = fewest_rounds(problem, {});
    RC_ASSERT(found.exact());
    RC_ASSERT(found.most == BruteForce(problem).fewest());
    RC_ASSERT(found.verdict.lawful());
}

TEST(Search, GivesAScheduleThatIsLawfulWhenReadFromAFile) {
    for (const Problem& problem : {broadcast_on("debruijn:2,4", {2}), broadcast_on("torus:5x5", {0, 12}, 2),
                                   gossip_on("mesh:3x3", Mode::telephone)}) {
        const Found found = fewest_rounds(problem, {});
        std::stringstream file;
        write_schedule(file, found.schedule, *problem.topology);
        const ScheduleFile read = read_schedule(file, "searched");
        const Verdict verdict = audit(read.schedule, machine_of(problem), collective_of(problem), false);
        EXPECT_TRUE(verdict.lawful()) << told(problem);
        EXPECT_EQ(verdict.metrics.rounds, found.most) << told(problem);
    }
}

TEST(Search, NeedsNoRoundWhereEverybodyKnows) {
    EXPECT_EQ(fewest_rounds(broadcast_on("line:1"), {}).most, 0U);
    EXPECT_EQ(fewest_rounds(broadcast_on("line:3", {0, 1, 2}), {}).most, 0U);
}

TEST(Search, SaysBetweenWhichNumbersItStoppedAndGivesTheBestSchedule) {
    const std::atomic<bool> stop = true;
    SearchOptions options;
    options.stop = &stop;
    const Found found = fewest_rounds(broadcast_on("debruijn:2,8"), options);
    EXPECT_FALSE(found.exact());
    EXPECT_EQ(found.least, 10U);
    EXPECT_GT(found.most, 10U);
    EXPECT_EQ(found.proof, Proof::none);
    EXPECT_TRUE(found.verdict.lawful());
    EXPECT_EQ(found.schedule.rounds(), found.most);
}

TEST(Search, WithoutASolverLeavesLargeMachinesOpen) {
    SearchOptions without;
    without.solver = false;
    const Found found = fewest_rounds(broadcast_on("debruijn:2,7"), without);
    EXPECT_FALSE(found.exact());
    EXPECT_TRUE(found.attempts.empty());
}

TEST(Search, ReportsWhatItIsDoing) {
    std::set<std::string> told;
    SearchOptions options;
    options.progress = [&](const std::string& at_work) { told.insert(at_work); };
    (void)fewest_rounds(broadcast_on("debruijn:2,4", {2}), options);
    EXPECT_TRUE(told.contains("between 4 and 5; is there a schedule of 4 rounds?"));
}

std::string refusal(const Problem& problem) {
    try {
        (void)fewest_rounds(problem, {});
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

TEST(Search, RefusesWhatItCannotSearchFor) {
    Problem problem = broadcast_on("ring:5");
    problem.operation = Operation::scatter;
    EXPECT_EQ(refusal(problem), "scatter is not searched for; want broadcast or allgather (gossip)");
    EXPECT_EQ(refusal(broadcast_on("ring:5", {7})), "source '7': ring:5 has nodes 0 to 4");
    EXPECT_EQ(refusal(broadcast_on("ring:5", {2, 2})), "source '2' is named twice; want each once");
    EXPECT_EQ(refusal(broadcast_on("ring:5", {})), "a broadcast needs a source; want a node, such as 0");
    problem = broadcast_on("ring:5");
    problem.mode = Mode::telephone;
    EXPECT_THAT(refusal(problem),
                testing::StartsWith("mode telephone: a broadcast takes as many rounds in every mode"));
    problem = gossip_on("ring:5", Mode::telegraph);
    problem.ports = PortLimit(2);
    EXPECT_EQ(refusal(problem), "mode telegraph has one port; leave the 2 ports out, or take mode kport");
}

TEST(Search, RefusesGraphsThatAreTooLarge) {
    EXPECT_THROW((void)fewest_rounds(broadcast_on("hypercube:36"), {}), DoesNotFit);
}

}  // namespace
}  // namespace kport::search
