/// @file python_programs_test.cpp   Python programs that were handed in: honest ones get their points, and those that cheat none and a
///                                  sentence.
#include <sys/wait.h>

#include <filesystem>
#include <string>

#include "app/cli/process.hpp"
#include "tests/grade/graded_programs.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr const char* broadcasts = R"({
  "kport_exercise": 1, "title": "A broadcast", "operation": "broadcast", "ports": 1, "source": 0,
  "machines": [{"on": "line:4"}, {"on": "line:5", "hidden": true}],
  "hand_in": ["python"], "knows": "graph",
  "criteria": [{"name": "lawful", "points": 4}, {"name": "optimal", "points": 2, "of": "rounds"}],
  "limits": {"seconds": 2, "memory": "256MiB", "messages": 1000}
})";

/// What every honest program on a line does.
constexpr const char* along_the_line =
    "    if not self.is_source:\n"
    "        yield self.receive()\n"
    "    if self.id + 1 < self.nodes:\n"
    "        yield self.send_to(self.id + 1)\n";

/// Reaches a module that no import may name.
constexpr const char* reach_os = "import kport\nos = kport._graphs.os\n";
constexpr const char* not_allowed = "starts a thread or a process, writes a file or opens a connection";

class PythonPrograms : public GradedPrograms {
  protected:
    void SetUp() override {
        GradedPrograms::SetUp();
        exercise_ = files_.add("exercise.json", broadcasts);
    }

    /// A program that does this before it broadcasts, with this before it.
    void add(const std::string& name, const std::string& statements, const std::string& before = "") {
        add_text(name, before + "def program(self):\n" + statements + along_the_line);
    }
    void add_text(const std::string& name, const std::string& text) { files_.add("in/" + name + ".py", text); }
};

TEST_F(PythonPrograms, ThatAreHonestGetTheirPointsTwiceTheSame) {
    add("honest", "");
    add("late", "    yield self.next_round()\n");
    add("imports", "    assert math.gcd(4, 6) == 2\n", "from __future__ import annotations\nimport math, itertools\n");
    add("classes", "    assert Pair(1).one == 1\n",
        "from __future__ import annotations\nimport dataclasses\nfrom typing import ClassVar\n"
        "@dataclasses.dataclass\nclass Pair:\n    one: int\n    two: ClassVar[int] = 2\n");
    add("prints", "    print('all rules kept')\n");
    const Outcome once = graded();
    const nlohmann::json json = once.json();
    ASSERT_EQ(json["hand_ins"].size(), 5U) << once.err;
    for (const auto& one : json["hand_ins"])
        EXPECT_EQ(one["points"], one["hand_in"] == "late.py" ? 4 : 6) << once.out << once.err;
    EXPECT_EQ(graded().out, once.out);
}

/// Down a line, a node finds in a module that others have begun before it: in every order.
TEST_F(PythonPrograms, ThatLeaveWordInModulesForLaterNodesGetNoPoints) {
    const std::string counts =
        "    math.begun = getattr(math, 'begun', 0) + 1\n    if math.begun < 2 and not self.is_source:\n";
    add("ends", counts + "        return\n", "import math\n");
    add("raises", counts + "        raise ValueError\n", "import math\n");
    add("loops", counts + "        while True:\n            pass\n", "import math\n");
    for (const auto& [name, sentence] : failures())
        EXPECT_THAT(sentence, HasSubstr("they must share nothing but messages")) << name;
}

TEST_F(PythonPrograms, ThatEndTheRunOrWriteAReportGetNoPoints) {
    add("exits", "    os._exit(0)\n", reach_os);
    add("reports", "    os.write(3, b'sall rules kept, 4 of 4 nodes hold the packet')\n    os._exit(0)\n", reach_os);
    add("forges", "    os.write(3, b's\\0000\\0\\0')\n    os._exit(0)\n", reach_os);
    add("patches",
        "    kport.run = kport.check = lambda *_, **__: None\n    kport._requests.asked = None\n    return\n",
        "import kport\n");
    add("leaves", "    raise SystemExit(0)\n");
    auto told = failures();
    EXPECT_EQ(told["exits"], "line:4: the program ends the whole run, with exit() or so");
    EXPECT_EQ(told["forges"], told["exits"]);
    EXPECT_THAT(told["reports"], HasSubstr("schedule"));
    EXPECT_THAT(told["patches"], HasSubstr("never receives packet 0"));
    EXPECT_EQ(told["leaves"], "line:4: line 2: SystemExit: 0 (node 0 in round 1)");
}

TEST_F(PythonPrograms, ThatLeaveTheirBoxGetNoPoints) {
    add("forks", "    os.fork()\n", reach_os);
    add("writes", "    open('/tmp/x', 'w')\n");
    add("fills", "    os.open('/dev/shm/x', os.O_RDWR | os.O_CREAT)\n", reach_os);
    add("executes", "    os.system('true')\n", reach_os);
    add("kills", "    os.kill(os.getppid(), 9)\n", reach_os);
    add("threads", "    kport._requests.sys.modules['_thread'].start_new_thread(print, ())\n", "import kport\n");
    add("connects", "    __import__('socket').socket()\n");
    for (const auto& [name, sentence] : failures()) EXPECT_THAT(sentence, HasSubstr(not_allowed)) << name;
}

TEST_F(PythonPrograms, ThatImportWhatNoNodeHasAUseForAreToldTheLine) {
    add("ctypes", "", "\nimport math\nimport ctypes\n");
    add("from", "    from random import choice\n");
    add("deep", "", "import os.path as path\n");
    add("relative", "", "from . import mine\n");
    auto told = failures();
    EXPECT_THAT(told["ctypes"], HasSubstr("line:4: line 3: imports ctypes; a program may import abc, "));
    EXPECT_THAT(told["from"], HasSubstr("line 2: imports random; "));
    EXPECT_THAT(told["deep"], HasSubstr("line 1: imports os.path; "));
    EXPECT_THAT(told["relative"], HasSubstr("line 1: imports .; "));
}

TEST_F(PythonPrograms, ShareNoVariablesBetweenNodes) {
    add("turns", "    global turn\n    turn += 1\n    if turn != 1:\n        yield self.next_round()\n", "turn = 0\n");
    const nlohmann::json json = graded().json();
    EXPECT_EQ(json["hand_ins"][0]["points"], 6) << json["hand_ins"][0]["first_failure"];
}

TEST_F(PythonPrograms, ThatShareStateElsewhereOrDrawTheirActsGetNoPoints) {
    exercise_ = files_.add("cubes.json", with("line:4", "hypercube:6", broadcasts));
    const auto add_down_the_tree = [&](const std::string& name, const std::string& statements) {
        add_text(name,
                 "import kport, math\ndef program(self):\n    first = 0\n    if not self.is_source:\n"
                 "        mail = yield self.receive()\n        first = mail.port + 1\n" +
                     statements + "    for port in range(first, self.ports):\n        yield self.send(port)\n");
    };
    add_down_the_tree("counts",
                      "    math.turn = getattr(math, 'turn', 0) + 1\n    if math.turn % 2 == 0:\n"
                      "        yield self.next_round()\n");
    add_down_the_tree("clock",
                      "    if kport._requests.sys.modules['time'].monotonic_ns() // 64 % 2:\n"
                      "        yield self.next_round()\n");
    add_down_the_tree("random", "    if kport._graphs.os.urandom(1)[0] % 2:\n        yield self.next_round()\n");
    for (const auto& [name, sentence] : failures())
        EXPECT_THAT(sentence, HasSubstr("depends on the order in which the nodes run")) << name;
}

TEST_F(PythonPrograms, ThatUseUpTimeMemoryOrOutputGetNoPoints) {
    add("loops", "    while True:\n        pass\n");
    add("endless", "", "while True:\n    pass\n");
    add("hogs", "    all = []\n    while True:\n        all.append(bytearray(1 << 20))\n");
    add("writes", "    while True:\n        os.write(3, bytes(1 << 20))\n", reach_os);
    add("sleeps", "    os.close(3)\n    kport._requests.sys.modules['time'].sleep(100)\n", reach_os);
    add("recurses", "    f = lambda: f()\n    f()\n");
    auto told = failures();
    EXPECT_EQ(told["loops"], "line:4: the program does not end within 2 s");
    EXPECT_EQ(told["endless"], told["loops"]);
    EXPECT_EQ(told["sleeps"], told["loops"]);
    EXPECT_EQ(told["hogs"], "line:4: the program needs more than 256.0 MiB");
    EXPECT_EQ(told["writes"], "line:4: the program writes too long a schedule");
    EXPECT_THAT(told["recurses"], HasSubstr("line 2: RecursionError: maximum recursion depth exceeded"));
}

TEST_F(PythonPrograms, ThatCrashTheInterpreterOrReadItsMemoryGetNoPoints) {
    add("crashes", "    __import__('ctypes').string_at(0)\n");
    add("collects",
        "    gc = __import__('gc')\n    for one in gc.get_objects():\n"
        "        if type(one).__name__ == 'dict' and 'schedule_of' in one:\n"
        "            one['schedule_of'] = lambda *_: b'all rules kept'\n    return\n");
    auto told = failures();
    EXPECT_EQ(told["crashes"], "line:4: the program crashes");
    EXPECT_THAT(told["collects"], HasSubstr("never receives packet 0"));
}

TEST_F(PythonPrograms, WithAnErrorAreToldTheLine) {
    add("raises", "    x = 1\n    {}['no such key']\n");
    add("address", "    raise ValueError(object())\n");
    add("port", "    yield self.send(99)\n");
    add("yields", "    yield 3\n");
    add("neighbour", "    if self.is_source:\n        yield self.send_to(1)\n        yield self.send_to(2)\n");
    add("begins", "", "import math\n1 / 0\n");
    add_text("syntax", "def program(self):\n    yield self.receive(\n");
    add_text("indent", "def program(self):\nyield 1\n");
    auto told = failures();
    EXPECT_EQ(told["raises"], "line:4: line 3: KeyError: 'no such key' (node 0 in round 1)");
    EXPECT_EQ(told["address"], "line:4: line 2: ValueError: <object object at 0x...> (node 0 in round 1)");
    EXPECT_THAT(told["port"], MatchesRegex("line:4: line 2: ValueError: .*port.*"));
    EXPECT_THAT(told["yields"], HasSubstr("line 2: ValueError: the program yields 3; want self.send"));
    EXPECT_THAT(told["neighbour"], MatchesRegex("line:4: line 4: .*node 2 is no neighbour of node 0.*"));
    EXPECT_EQ(told["begins"], "line:4: line 2: ZeroDivisionError: division by zero");
    EXPECT_EQ(told["syntax"], "line:4: line 2: SyntaxError: '(' was never closed");
    EXPECT_THAT(told["indent"], HasSubstr("line 2: IndentationError: expected an indented block"));
}

TEST_F(PythonPrograms, ThatAreNoProgramsGetNoPoints) {
    add_text("empty", "");
    add_text("other", "def mine(self):\n    yield self.receive()\n");
    add_text("function", "import math\n\ndef program(self):\n    return 3\n");
    add_text("arguments", "def program(self, source):\n    yield self.receive()\n");
    add_text("garbage", std::string("\x7f"
                                    "ELF\0\1\2",
                                    7));
    add_text("nested", std::string(100'000, '('));
    std::filesystem::create_symlink("/etc/passwd", folder() + "/link.py");
    std::filesystem::create_directory(folder() + "/folder.py");
    auto told = failures();
    EXPECT_THAT(told["empty"], HasSubstr("there is no function called program; want `def program(self):`"));
    EXPECT_EQ(told["other"], told["empty"]);
    EXPECT_THAT(told["function"], HasSubstr("line 3: program is no generator; want"));
    EXPECT_THAT(told["arguments"], HasSubstr("line 1: program has 2 arguments; want `def program(self):`"));
    EXPECT_EQ(told["link"], "line:4: a link is no hand-in; want the file itself");
    EXPECT_THAT(told["folder"], HasSubstr("the exercise takes no schedules; want a Python program (.py)"));
}

TEST_F(PythonPrograms, AreRefusedAtOnceWhereTheModuleIsMissing) {
    add("honest", "");
    const std::string alone = files_.folder() + "/kport";
    std::filesystem::copy_file(KPORT_PROGRAM, alone);
    const auto ended = cli::run_program(alone, {alone, "grade", exercise_, folder()});
    ASSERT_TRUE(ended);
    EXPECT_EQ(WEXITSTATUS(ended->status), 2);
    EXPECT_THAT(ended->err, HasSubstr("Python hand-ins need kport's module for Python, and neither"));
}

TEST_F(PythonPrograms, ThatBreakARuleGetTheSentenceOfTheAuditor) {
    add_text("twice", std::string("def program(self):\n") + along_the_line +
                          "    if self.id + 1 == self.nodes:\n        yield self.send(0)\n");
    EXPECT_THAT(failures()["twice"], HasSubstr("node 2"));
}

TEST_F(PythonPrograms, KnowTheGraphOnlyWhereTheExerciseLetsThem) {
    add("asks", "    assert self.topology().distance(0, self.nodes - 1) == self.nodes - 1\n");
    EXPECT_EQ(graded().json()["hand_ins"][0]["points"], 6);
    exercise_ = files_.add("own.json", with("\"graph\"", "\"own\"", broadcasts));
    EXPECT_THAT(failures()["asks"], HasSubstr("line 2: asks for the topology; here a node knows its own ports only"));
}

TEST_F(PythonPrograms, ThatKnowHowAFamilyNumbersItsNodesFailOnARenumberedMachine) {
    exercise_ =
        files_.add("renumbered.json", with("\"hidden\": true", "\"hidden\": true, \"renumbered\": true", broadcasts));
    add("by-numbers", "");
    add_text("by-ports",
             "def program(self):\n    came = None\n    if not self.is_source:\n        mail = yield self.receive()\n"
             "        came = mail.port\n    for port in range(self.ports):\n"
             "        if port != came and self.neighbour(port) is not None:\n            yield self.send(port)\n");
    const nlohmann::json json = graded().json();
    EXPECT_GE(json["hand_ins"][1]["points"], 4) << json["hand_ins"][1]["first_failure"];
    EXPECT_EQ(json["hand_ins"][0]["points"], 0);
    EXPECT_EQ(json["hand_ins"][0]["machines"][0]["points"], 6);
}

TEST_F(PythonPrograms, CannotNameAHiddenMachineInTheirErrors) {
    add("names",
        "    if self.nodes == 5:\n        words = kport._requests.sys.argv\n        raise "
        "ValueError(open(words[2]).read())\n",
        "import kport\n");
    EXPECT_EQ(failures()["names"], "a hidden machine: line 5: the program ends with an error");
}

TEST_F(PythonPrograms, AreSealedAlsoWhereTheContainerAroundIsTheBox) {
    add("honest", "");
    add("forks", "    os.fork()\n", reach_os);
    const nlohmann::json json = kport({"grade", exercise_, folder(), "--json", "--already-contained"}, place_).json();
    EXPECT_EQ(json["hand_ins"][0]["points"], 0);
    EXPECT_THAT(json["hand_ins"][0]["first_failure"].get<std::string>(), HasSubstr(not_allowed));
    EXPECT_EQ(json["hand_ins"][1]["points"], 6);
}

class EveryExerciseForPython : public GradedPrograms, public testing::WithParamInterface<std::string> {
  protected:
    [[nodiscard]] Outcome graded(const std::string& hand_ins) const {
        const std::filesystem::path place = all_exercises() / GetParam();
        return kport({"grade", (place / "exercise.json").string(), (place / hand_ins).string(), "--json"});
    }
};

TEST_P(EveryExerciseForPython, GivesFullPointsToItsAnswersAndFewerToWrongOnes) {
    const Outcome right = graded("right");
    EXPECT_EQ(right.status, 0) << right.out << right.err;
    const nlohmann::json wrong = graded("wrong").json();
    EXPECT_GE(wrong["hand_ins"].size(), 3U);
    for (const auto& one : wrong["hand_ins"]) {
        EXPECT_LT(one["points"], 10) << one["hand_in"];
        EXPECT_NE(one["first_failure"], nullptr) << one["hand_in"];
    }
}

INSTANTIATE_TEST_SUITE_P(Examples, EveryExerciseForPython, testing::ValuesIn(exercise_names({grade::Kind::python})),
                         [](const auto& exercise) { return test_name_of(exercise.param); });

}  // namespace
}  // namespace kport::test
