/// @file least_cost_test.cpp   The least rounds, volume and work of every operation, against an independent solver and all schedules.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/files/graph_file.hpp"
#include "app/search/least_cost.hpp"
#include "app/search/question.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/random.hpp"
#include "tests/search/all_schedules.hpp"
#include "tests/search/problems.hpp"
#include "tests/search/references.hpp"

namespace kport::search {
namespace {

using oracle::Row;

/// Others take seconds to minutes: with KPORT_LONG_SEARCHES=1.
bool is_asked(const Row& row) { return row.number("nodes") <= 4 || std::getenv("KPORT_LONG_SEARCHES") != nullptr; }

void expect_the_least_costs(const Row& row) {
    const Question question = question_in(row);
    const LeastCost cost = least_cost(question, Least::volume, {});
    EXPECT_EQ(cost.rounds.most, row.number("rounds_minimum")) << told_of(row);
    EXPECT_TRUE(cost.rounds.exact()) << told_of(row);
    EXPECT_TRUE(cost.rounds.verdict.lawful()) << told_of(row);
    if (row.has("volume_minimum_at_those_rounds")) {
        const std::uint64_t volume = row.number("volume_minimum_at_those_rounds");
        EXPECT_EQ(cost.volume, (Interval{volume, volume})) << told_of(row);
    }
    if (row.has("reading")) {
        EXPECT_EQ(cost.reading == Reading::runs ? "runs" : "folded", row["reading"]) << told_of(row);
    }
    if (!row.has("work_minimum_at_those_rounds")) return;
    const LeastCost work = least_cost(question, Least::work, {});
    EXPECT_EQ(work.work,
              (Interval{row.number("work_minimum_at_those_rounds"), row.number("work_minimum_at_those_rounds")}))
        << told_of(row);
}

class LeastCosts : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    }
};

/// tests/oracle/tables/minimum.csv, made by an independent solver.
TEST_P(LeastCosts, AreTheReferences) {
    int rows = 0;
    for (const Row& row : oracle::table("minimum")) {
        if (row["operation"] != GetParam() || !is_asked(row)) continue;
        expect_the_least_costs(row);
        ++rows;
    }
    EXPECT_GT(rows, 10);
}

INSTANTIATE_TEST_SUITE_P(Operations, LeastCosts,
                         testing::Values("broadcast", "scatter", "gather", "reduce", "allgather", "alltoall",
                                         "allreduce", "scan", "reduce-scatter", "barrier", "permutation"),
                         name_of_operation);

/// tests/oracle/tables/ports.csv: sends and receives with limits of their own.
TEST(LeastCostsWithTwoLimits, AreTheReferences) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    int rows = 0;
    for (const Row& row : oracle::table("ports")) {
        constexpr std::string_view ports = "--ports ";
        const bool is_small = row.number("nodes") <= (std::getenv("KPORT_LONG_SEARCHES") != nullptr ? 6U : 4U);
        if (!row["options"].starts_with(ports) || !row.has("rounds_minimum") || !is_small) continue;
        Question question;
        question.machine.topology = make_topology(row["topology"]);
        question.machine.ports = port_limit_of(row["options"].substr(ports.size())).value();
        question.machine.combining = row.yes("combining");
        question.collective = Collective::of(operation_named(row["operation"]), 0, 64);
        if (row.has("source")) question.collective.root = row.number("source");
        const std::string told = row.place() + " " + row["operation"] + " " + row["topology"] + " " + row["options"];
        const LeastCost cost = least_cost(question, Least::rounds, {});
        EXPECT_EQ(cost.rounds.most, row.number("rounds_minimum")) << told;
        EXPECT_TRUE(cost.rounds.exact()) << told;
        EXPECT_TRUE(cost.rounds.verdict.lawful()) << told;
        ++rows;
    }
    EXPECT_GT(rows, 30);
}

/// tests/oracle/tables/ports.csv: graph files whose nodes have their own limits.
TEST(LeastCostsWithLimitsOfNodes, AreTheReferences) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    int rows = 0;
    for (const Row& row : oracle::table("ports")) {
        if (!row["options"].starts_with("--ports-by") || !row.has("rounds_minimum")) continue;
        const GraphFile file =
            read_graph_file("tests/files/graphs/ports/" + row["topology"], GraphOptions{.node_values = "ports"});
        Question question;
        question.machine.topology = machine_graph(file);
        question.machine.combining = row.yes("combining");
        NodePorts own{"ports", {}};
        for (const std::string& value : file.node_values)
            own.limits.push_back(value.empty() ? question.machine.ports : port_limit_of(value).value());
        question.machine.node_ports = std::make_shared<const NodePorts>(std::move(own));
        question.collective = Collective::of(operation_named(row["operation"]), 0, 64);
        if (row.has("source")) question.collective.root = row.number("source");
        const std::string told = row.place() + " " + row["operation"] + " " + row["topology"];
        const LeastCost cost = least_cost(question, Least::rounds, {});
        EXPECT_EQ(cost.rounds.most, row.number("rounds_minimum")) << told;
        EXPECT_TRUE(cost.rounds.exact()) << told;
        EXPECT_TRUE(cost.rounds.verdict.lawful()) << told;
        ++rows;
    }
    EXPECT_GT(rows, 15);
}

TEST(LeastFronts, AreTheReferences) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    int rows = 0;
    for (const Row& row : oracle::table("minimum_front")) {
        if (!is_asked(row)) continue;
        SearchOptions options;
        if (!row.yes("complete")) options.conflicts = 20'000;  // of these the table has what could be decided
        const LeastCost cost = least_cost(question_in(row), Least::front, options);
        std::string front;
        for (const FrontLine& line : cost.front)
            front += fmt::format("{}{}:{}", front.empty() ? "" : " ", line.rounds, line.volume.most);
        EXPECT_TRUE(front.starts_with(row["front"])) << told_of(row) << ": " << front;
        if (row.yes("complete")) {
            EXPECT_EQ(front, row["front"]) << told_of(row);
            EXPECT_TRUE(cost.exact() && cost.front_complete) << told_of(row);
        }
        ++rows;
    }
    EXPECT_GT(rows, 5);
}

/// tests/oracle/tables/minimum_work.csv.
TEST(LeastWorkOfAll, IsTheReferences) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    int rows = 0;
    for (const Row& row : oracle::table("minimum_work")) {
        if (!is_asked(row)) continue;
        const LeastCost cost = least_cost(question_in(row), Least::work_of_all, {});
        const std::uint64_t work = row.number("work_minimum");
        EXPECT_EQ(cost.work_of_all, (Interval{work, work})) << told_of(row);
        ++rows;
    }
    EXPECT_GT(rows, 5);
}

// ---- all schedules ---------------------------------------------------------------------------------------------------

TEST(PacketFormulas, SayNoMoreThanTheRulesOnAllSchedulesOfSmallMachines) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    int cases = 0;
    for (const char* spec : {"line:3", "complete:3", "line:4", "star:4", "ring:4"})
        for (const Operation& operation :
             {Operation::broadcast, Operation::scatter, Operation::allgather, Operation::permutation})
            for (const bool combining : {true, false})
                for (const Port ports : {Port{1}, Port{2}})
                    for (const bool half : {false, true})
                        for (const bool pairwise : {false, true}) {
                            if (make_topology(spec)->nodes() == 4 && operation == Operation::allgather) continue;
                            Question question;
                            question.machine.pairwise = pairwise;
                            question.machine.topology = make_topology(spec);
                            question.machine.ports = PortLimit(ports);
                            question.machine.combining = combining;
                            if (half) question.machine.duplex = Duplex::half;
                            question.collective = Collective::of(operation, 0, 64);
                            const LeastCost cost = least_cost(question, Least::rounds, {});
                            EXPECT_EQ(cost.rounds.most, AllSchedules(question).least_rounds())
                                << name(operation) << " on " << spec << ", " << ports << " ports, combining "
                                << combining << ", half " << half << ", pairwise " << pairwise;
                            ++cases;
                        }
    EXPECT_GT(cases, 100);
}

TEST(PacketFormulas, SayNoMoreThanTheRulesWhereNodesHaveTheirOwnLimits) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    Dice dice(7);
    for (const char* spec : {"line:3", "complete:3", "line:4", "star:4", "ring:4", "complete:4"})
        for (const Operation& operation :
             {Operation::broadcast, Operation::reduce, Operation::scatter, Operation::gather, Operation::allgather})
            for (const bool combining : {true, false})
                for (int draw = 0; draw < 3; ++draw) {
                    if (make_topology(spec)->nodes() == 4 && operation == Operation::allgather) continue;
                    Question question;
                    question.machine.topology = make_topology(spec);
                    question.machine.combining = combining;
                    NodePorts own{"ports", {}};
                    for (NodeId v = 0; v < question.nodes(); ++v) {
                        const auto sends = static_cast<Port>(dice.between(1, 3));
                        own.limits.emplace_back(sends, static_cast<Port>(dice.between(1, 3)));
                    }
                    question.machine.node_ports = std::make_shared<const NodePorts>(std::move(own));
                    question.collective = Collective::of(operation, 0, 64);
                    Question forward = question;  // all schedules are those of packets that spread
                    if (is_reversed(operation)) forward = reversed(question);
                    const LeastCost cost = least_cost(question, Least::rounds, {});
                    EXPECT_TRUE(cost.rounds.exact());
                    EXPECT_EQ(cost.rounds.most, AllSchedules(forward).least_rounds())
                        << name(operation) << " on " << spec << ", combining " << combining << ", draw " << draw;
                }
}

/// Two nodes with a trunk of 3, and four with a trunk of 2 (fewer cases: there are many schedules).
TEST(PacketFormulas, SayNoMoreThanTheRulesOnTrunks) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    const auto expect_all_schedules = [](Question question) {
        const LeastCost cost = least_cost(question, Least::rounds, {});
        if (is_reversed(question.operation())) question = reversed(question);
        EXPECT_TRUE(cost.rounds.exact());
        EXPECT_EQ(cost.rounds.most, AllSchedules(question).least_rounds())
            << name(question.operation()) << " on " << question.machine.topology->spec() << ", "
            << rules_in_words(question.machine);
    };
    for (const bool is_pair : {true, false})
        for (const Operation& operation :
             {Operation::broadcast, Operation::scatter, Operation::gather, Operation::allgather, Operation::alltoall})
            for (const bool combining : {true, false})
                for (const PortLimit& ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
                    for (const int rule : {0, 1, 2, 3}) {
                        if (!is_pair && operation != Operation::broadcast && !(combining && operation.rooted()))
                            continue;
                        Question question;
                        question.machine.topology = make_topology(is_pair ? "dragonfly:1,3,2,0" : "dragonfly:2,2,2,0");
                        question.machine.ports = ports;
                        question.machine.combining = combining;
                        question.machine.pairwise = rule == 1;
                        if (rule == 2) question.machine.duplex = Duplex::half;
                        if (rule == 3) question.machine.links = Duplex::half;
                        question.collective = Collective::of(operation, 0, 64);
                        question.collective.packets_each = is_pair ? 2 : 1;
                        expect_all_schedules(question);
                    }
}

/// The links of a DGX-1: an allgather of one packet takes 2 rounds and a volume of 2, of two packets 2 and 3 (Cai et al. 2021).
TEST(LeastFronts, OfAnAllgatherOverTrunksHaveTheLinesThatAreKnown) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    using Lines = std::vector<std::pair<Round, std::uint64_t>>;
    Question question;
    question.machine.topology =
        machine_graph(read_graph_file(KPORT_SOURCE_DIR "/examples/graphs/dgx-1.edges", {.trunks = true}));
    question.machine.ports = PortLimit::all();
    question.collective = Collective::of(Operation::allgather, 0, 64);
    const std::vector<Lines> known = {{{2, 2}}, {{2, 3}}, {{2, 5}, {3, 4}}, {{2, 6}, {3, 5}}};
    for (std::size_t i = 0; i < known.size(); ++i) {
        question.collective.packets_each = i + 1;
        const LeastCost cost = least_cost(question, Least::front, {});
        Lines lines;
        for (const FrontLine& line : cost.front) lines.emplace_back(line.rounds, line.volume.most);
        EXPECT_EQ(lines, known[i]);
        EXPECT_TRUE(cost.front_complete);
    }
}

TEST(LeastVolumes, OverTrunksAreSharedByTheirMessages) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    Question question;
    question.machine.topology = make_topology("dragonfly:1,3,2,0");
    question.machine.ports = PortLimit::all();
    question.collective = Collective::of(Operation::allgather, 0, 64);
    for (const std::uint64_t packets : {1U, 3U, 4U, 6U}) {
        question.collective.packets_each = packets;
        const LeastCost cost = least_cost(question, Least::volume, {});
        EXPECT_EQ(cost.rounds.most, 1U);
        EXPECT_EQ(cost.volume->most, (packets + 2) / 3) << "in packets, of one of three messages";
        EXPECT_TRUE(cost.exact());
    }
}

/// Every schedule of the values of one segment, breadth first, by which values nodes hold apart: shares nothing with the formulas.
class AllFolds {
  public:
    explicit AllFolds(const Question& question) : question_(question), graph_(*question.machine.topology) {
        for (Node32 u = 0; u < graph_.nodes(); ++u)
            for (const Node32 v : graph_.neighbours(u)) channels_.emplace_back(u, v);
    }

    [[nodiscard]] Round least_rounds() {
        std::set<State> now{begin()};
        for (Round round = 0;; ++round) {
            for (const State& state : now)
                if (is_end(state)) return round;
            std::set<State> next;
            for (const State& state : now) each_round(state, state, 0, {}, next);
            now = next;
        }
    }

  private:
    using Values =
        std::set<std::uint32_t>;  ///< of a node, disjoint: each a set of contributors, a bit each; 0: the result
    using State = std::vector<Values>;
    static constexpr std::uint32_t result = 0;

    [[nodiscard]] State begin() const {
        State state;
        for (Node32 v = 0; v < graph_.nodes(); ++v) state.push_back({1U << v});
        return state;
    }
    [[nodiscard]] static std::uint32_t all_of(const Values& values) {
        std::uint32_t all = 0;
        for (const std::uint32_t value : values) all |= value;
        return all;
    }
    [[nodiscard]] bool is_whole(const Values& values) const {
        return values.contains(result) || all_of(values) == (1U << graph_.nodes()) - 1;
    }
    /// Of a scan: some of the values are the contributions of nodes 0 to v.
    [[nodiscard]] bool is_end(const State& state) const {
        for (Node32 v = 0; v < graph_.nodes(); ++v) {
            if (!question_.collective.scans()) {
                if (!is_whole(state[v])) return false;
                continue;
            }
            const std::uint32_t wanted = (2U << v) - 1;
            std::uint32_t found = 0;
            for (const std::uint32_t value : state[v])
                if ((value & ~wanted) == 0) found |= value;
            if (found != wanted) return false;
        }
        return true;
    }
    [[nodiscard]] std::set<std::uint32_t> messages_of(const Values& values) const {
        std::set<std::uint32_t> folds{result};
        for (const std::uint32_t value : values) {
            std::set<std::uint32_t> more = folds;
            for (const std::uint32_t fold : folds) more.insert(fold | value);
            folds = more;
        }
        if (question_.collective.scans() || !is_whole(values)) folds.erase(result);
        return folds;
    }
    using Uses = std::vector<std::size_t>;
    void each_round(const State& before, const State& after, std::size_t c, Uses uses, std::set<State>& found) const {
        if (c == channels_.size()) {
            found.insert(after);
            return;
        }
        each_round(before, after, c + 1, uses, found);
        uses.resize(2 * std::size_t{graph_.nodes()});
        const auto [from, to] = channels_[c];
        if (++uses[from] > question_.machine.ports_of(from)) return;
        if (++uses[graph_.nodes() + to] > question_.machine.ports_of(to)) return;
        for (const std::uint32_t message : messages_of(before[from])) {
            if (message == result ? is_whole(after[to]) : (message & all_of(after[to])) != 0) continue;
            State then = after;
            then[to].insert(message);
            each_round(before, then, c + 1, uses, found);
        }
    }

    const Question& question_;
    Graph graph_;
    std::vector<std::pair<Node32, Node32>> channels_;
};

TEST(ValueFormulas, SayNoMoreThanTheRulesOnAllSchedulesOfSmallMachines) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    for (const char* spec : {"line:2", "line:3", "complete:3", "line:4", "star:4"})
        for (const Operation& operation : {Operation::allreduce, Operation::scan})
            for (const Port ports : {Port{1}, Port{2}}) {
                Question question;
                question.machine.topology = make_topology(spec);
                question.machine.ports = PortLimit(ports);
                question.machine.combining = false;
                question.collective = Collective::of(operation, 0, 64);
                const LeastCost cost = least_cost(question, Least::rounds, {});
                EXPECT_EQ(cost.rounds.most, AllFolds(question).least_rounds())
                    << name(operation) << " on " << spec << ", " << ports << " ports";
            }
}

TEST(Formulas, GiveTheSameWithoutSymmetry) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    SearchOptions plain;
    plain.symmetry = false;
    int rows = 0;
    for (const Row& row : oracle::table("minimum")) {
        if (row.number("nodes") > 4 || ++rows % 5 != 0) continue;
        const Question question = question_in(row);
        const LeastCost with = least_cost(question, Least::volume, {});
        const LeastCost without = least_cost(question, Least::volume, plain);
        EXPECT_EQ(with.rounds.most, without.rounds.most) << told_of(row);
        EXPECT_EQ(with.volume, without.volume) << told_of(row);
    }
    EXPECT_GT(rows, 100);
}

/// What is lawful with fewer ports is lawful with more.
TEST(LeastCost, NeverRisesWithThePorts) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    std::map<std::string, std::map<std::string, std::uint64_t>> by_ports;
    for (const Row& row : oracle::table("minimum")) {
        if (row.number("nodes") > 4 || row["duplex"] != "full" || row.yes("pairwise")) continue;
        const std::string cell =
            row["operation"] + row["topology"] + row["combining"] + row["packets"] + row["source"] + row["permutation"];
        by_ports[cell][row["ports"]] = least_cost(question_in(row), Least::rounds, {}).rounds.most;
    }
    for (const auto& [cell, rounds] : by_ports) {
        if (!rounds.contains("1") || !rounds.contains("all")) continue;
        EXPECT_LE(rounds.at("all"), rounds.at("1")) << cell;
    }
    EXPECT_GT(by_ports.size(), 50U);
}

TEST(LeastCost, OfAStoppedSearchIsAnIntervalWithALawfulScheduleOrNone) {
    Question question;
    question.machine.topology = make_topology("petersen");
    question.machine.combining = false;
    question.collective = Collective::alltoall(64);
    SearchOptions options;
    options.seconds = 0;
    const LeastCost cost = least_cost(question, Least::volume, options);
    EXPECT_FALSE(cost.exact());
    EXPECT_GE(cost.rounds.least, 9U);
    EXPECT_GT(cost.rounds.most, cost.rounds.least);
}

/// docs/search.md.
TEST(ToldLate, BindsOnStarsAndLines) {
    const auto bound = [](const char* spec, std::uint64_t m) {
        Question question;
        question.machine.topology = make_topology(spec);
        question.machine.combining = false;
        question.collective = Collective::allreduce(64);
        question.collective.packets_each = m;
        return told_late(question).front().value;
    };
    EXPECT_EQ(bound("star:4", 4), 14);
    EXPECT_EQ(bound("line:4", 2), 5);
    EXPECT_EQ(bound("line:4", 4), 9);
    EXPECT_EQ(bound("line:5", 5), 13);
    EXPECT_EQ(bound("line:6", 6), 15);
}

TEST(Questions, ThatAreNotSearchedForAreRefused) {
    Question question;
    question.machine.topology = make_topology("ring:5");
    question.machine.switching = Switching::wormhole;
    EXPECT_THROW((void)least_cost(question, Least::volume, {}), RequestError);
    question.collective = Collective::allgather(8);
    EXPECT_THROW((void)least_cost(question, Least::rounds, {}), RequestError);
    question.machine.switching = Switching::store_and_forward;
    question.collective = Collective::broadcast(5, 8);
    EXPECT_THROW((void)least_cost(question, Least::rounds, {}), RequestError);
    question.collective = Collective::none();
    EXPECT_THROW((void)least_cost(question, Least::rounds, {}), RequestError);
}

}  // namespace
}  // namespace kport::search
