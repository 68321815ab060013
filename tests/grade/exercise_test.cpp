/// @file exercise_test.cpp   Exercises are read strictly, and every wrong word is named with its place.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/grade/exercise.hpp"
#include "emulator/base/error.hpp"
#include "tests/grade/exercises.hpp"

namespace kport::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string refusal_of(const std::string& text) {
    try {
        (void)exercise_of(text);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(AnExercise, SaysWhatIsAskedAndWhatGivesPoints) {
    const grade::Exercise exercise = exercise_of();
    EXPECT_EQ(exercise.title, "A broadcast on meshes");
    EXPECT_EQ(exercise.points(), 10);
    ASSERT_THAT(exercise.machines, SizeIs(2));
    EXPECT_EQ(exercise.machines[0].label, "mesh:2x2");
    EXPECT_EQ(exercise.machines[1].label, "hidden machine 2");
    EXPECT_EQ(exercise.machines[1].weight, 3);
    EXPECT_EQ(exercise.machines[0].experiment.machine.ports.sends(), 1U);
    EXPECT_THAT(exercise.takes, ElementsAre(grade::Kind::schedule));
}

/// The exercise of the design, with its comment.
TEST(AnExercise, MayTakeSchedulesAndProgramsFromAnySourceOnDrawnMachines) {
    const grade::Exercise exercise = exercise_of(R"({
      "kport_exercise": 1, "title": "A broadcast on meshes", "operation": "broadcast", "ports": "1", "source": "any",
      "machines": [ {"on": "mesh:4x4"}, {"on": "mesh:3x5", "weight": 2},
                    {"family": "mesh", "nodes": [2, 64], "draw": 20, "seed": 7, "hidden": true} ],
      "hand_in": ["schedule", "python", "cpp"],
      "knows": "own",                                  // what a node may ask: its own ports ("own"), or the whole graph ("graph")
      "criteria": [ {"name": "lawful", "points": 4},
                    {"name": "rounds", "points": 4, "at_most": "bound + 2", "zero_from": "2 * bound"},
                    {"name": "optimal", "points": 2, "of": "rounds"} ],
      "each_machine": "worst",                         // or "mean"
      "limits": {"seconds": 10, "memory": "512MiB", "messages": 1000000},
      "feedback": "first_failure" })");
    EXPECT_THAT(exercise.machines, SizeIs(22));
    EXPECT_THAT(exercise.takes, ElementsAre(grade::Kind::schedule, grade::Kind::python, grade::Kind::cpp));
    EXPECT_EQ(exercise.knows, grade::Knows::own);
    EXPECT_TRUE(exercise.any_source);
    EXPECT_EQ(exercise.limits.seconds, 10);
}

TEST(AnExercise, WithAWrongWordIsRefusedWithItsPlaceAndWhatIsRight) {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {with("\"title\"", "\"titel\""), "exercise 'x.json': titel is unknown; did you mean 'title'?"},
        {with("\"on\": \"mesh:2x2\"", "\"on\": \"mesh:2x\""), "machines[0]: topology 'mesh:2x'"},
        {with("\"on\": \"mesh:2x2\"", "\"on\": 7"), "machines[0].on: 7; want a machine"},
        {with("\"on\": \"mesh:2x2\"", "\"no\": 7"), "machines[0].no is unknown"},
        {with("\"on\": \"mesh:2x2\"", "\"on\": \"line:1\""), "machines[0]: it has 1 node; want 2 to 4096"},
        {with("\"broadcast\"", "\"brodcast\""), "did you mean 'broadcast'?"},
        {with("\"bound + 1\"", "\"bound +\""), "criteria[1].at_most 'bound +': at letter 8 want a number"},
        {with("\"bound + 1\"", "\"bond + 1\""), "at letter 1 want a number, a name"},
        {with("\"bound + 1\"", "\"bound bound\""), "at letter 7 want the end"},
        {with("\"3 * bound\"", "\"bound\""), "the criterion rounds gives no points from bound on"},
        {with("\"points\": 2", "\"points\": -2"), "criteria[2].points: -2; want a number above 0"},
        {with("\"of\": \"rounds\"", "\"of\": \"steps\""), "criteria[2].of: \"steps\"; want one of rounds"},
        {with("\"kport_exercise\": 1", "\"kport_exercise\": 2"), "kport_exercise: 2; want a whole number from 1 to 1"},
        {with("\"ports\": 1", "\"ports\": [1]"), "ports: [1]; want what --ports takes"},
        {with("\"worst\"", "\"best\""), "each_machine: \"best\"; want one of worst, mean"},
        {with("\"ports\": 1", "\"ports\": 1, \"ports\": 2"), "has the member 'ports' twice"},
        {with("\"criteria\"", "\"hand_in\": [\"c\"], \"criteria\""), "]; want a list of \"schedule\", \"python\""},
        {with("\"criteria\"", "\"knows\": \"all\", \"criteria\""), "knows: \"all\"; want one of own, graph"},
        {with("\"on\": \"mesh:2x2\"", "\"on\": \"mesh:2x2\", \"renumbered\": true"),
         "machines[0].renumbered: true; want a hidden machine"},
        {"{", "is no JSON"},
        {"[]", "want an object"},
    };
    for (const auto& [text, expected] : wrong) EXPECT_THAT(refusal_of(text), HasSubstr(expected)) << text;
}

TEST(AnExercise, AsksForABoundOnlyWhereOneIsKnown) {
    const std::string text = with("{\"name\": \"optimal\", \"points\": 2, \"of\": \"rounds\"}",
                                  "{\"name\": \"optimal\", \"points\": 2, \"of\": \"latency\"}");
    EXPECT_EQ(exercise_of(text).criteria[2].quantity, Quantity::latency);
}

TEST(DrawnMachines, FollowFromTheSeedAndDiffer) {
    const std::string text =
        with("{\"on\": \"mesh:2x2\"}", R"({"family": "mesh", "nodes": [4, 24], "draw": 6, "seed": 7, "hidden": true})");
    const grade::Exercise once = exercise_of(text);
    const grade::Exercise again = exercise_of(text);
    ASSERT_THAT(once.machines, SizeIs(7));
    for (std::size_t i = 0; i < once.machines.size(); ++i) EXPECT_EQ(once.machines[i].on, again.machines[i].on);
    EXPECT_NE(once.machines[0].on, once.machines[1].on);
    EXPECT_THAT(refusal_of(with("\"draw\": 6", "\"draw\": 900", text)), HasSubstr("draw: 900; want at most"));
    EXPECT_THAT(refusal_of(with("\"mesh\", \"nodes\"", "\"mash\", \"nodes\"", text)), HasSubstr("family: \"mash\""));
}

TEST(ARenumberedMachine, IsTheSameGraphWithOtherNumbersThatFollowFromTheExercise) {
    const std::string text = with("\"on\": \"line:3\", ", "\"on\": \"line:40\", \"renumbered\": true, ");
    const grade::ExerciseMachine once = exercise_of(text).machines[1];
    const grade::ExerciseMachine again = exercise_of(text).machines[1];
    EXPECT_EQ(once.graph, again.graph);
    const Topology& graph = once.experiment.topology();
    EXPECT_EQ(graph.nodes(), 40U);
    EXPECT_EQ(graph.diameter(), 39U);
    EXPECT_EQ(graph.channels(), 78U);
    NodeId moved = 0;
    for (NodeId v = 0; v + 1 < graph.nodes(); ++v) moved += graph.port_to(v, v + 1) == no_port ? 1 : 0;
    EXPECT_GT(moved, 20U);
}

TEST(AnAllowance, IsASumOfProducts) {
    const auto value = [](const std::string& text) {
        return grade::Allowance(text, "here").value([](std::string_view name) { return name == "bound" ? 3.0 : 10.0; });
    };
    EXPECT_EQ(value("2 * bound + 1"), 7);
    EXPECT_EQ(value("2*(bound+1) - 0.5"), 7.5);
    EXPECT_EQ(value(" nodes "), 10);
    EXPECT_TRUE(grade::Allowance("nodes + bound", "here").names("bound"));
    EXPECT_FALSE(grade::Allowance("nodes", "here").names("bound"));
}

}  // namespace
}  // namespace kport::test
