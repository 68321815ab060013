/// @file programs_test.cpp   C++ programs that were handed in: honest ones get their points, and those that cheat none and a sentence.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/grade/graded_programs.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* broadcasts_on_lines = R"({
  "kport_exercise": 1, "title": "A broadcast on lines", "operation": "broadcast", "ports": 1, "source": 0,
  "machines": [{"on": "line:4"}, {"on": "line:5", "hidden": true}],
  "hand_in": ["schedule", "cpp"],
  "criteria": [{"name": "lawful", "points": 4}, {"name": "optimal", "points": 2, "of": "rounds"}],
  "limits": {"seconds": 2, "memory": "512MiB", "messages": 1000}
})";

/// What every honest program on a line does.
constexpr const char* along_the_line =
    "Packet packet;\n"
    "if (self.id() != source) {\n"
    "    const Arrival arrival = co_await self.receive();\n"
    "    packet = arrival.packet();\n"
    "}\n"
    "if (self.id() + 1 < self.nodes()) {\n"
    "    const Port right = self.topology().port_to(self.id(), self.id() + 1);\n"
    "    co_await self.send(right, packet);\n"
    "}\n";

/// Down the dimensions of a hypercube from node 0: a node that has received does something first, and passes on.
constexpr const char* down_the_tree_begin =
    "using namespace kport;\n"
    "Program mine(Node& self, NodeId source) {\n"
    "Packet packet;\n"
    "Port first = 0;\n"
    "if (self.id() != source) {\n"
    "    const Arrival arrival = co_await self.receive();\n"
    "    packet = arrival.packet();\n"
    "    first = arrival.port + 1;\n";
constexpr const char* down_the_tree_end =
    "}\n"
    "for (Port port = first; port < self.topology().ports(); ++port) co_await self.send(port, packet);\n"
    "}\n"
    "KPORT_ALGORITHM(.operation = Operation::broadcast, .program = mine);\n";

class Programs : public GradedPrograms {
  protected:
    void SetUp() override {
        GradedPrograms::SetUp();
        const auto cache = std::filesystem::path(KPORT_PROGRAM).parent_path() / "tests/cli/compiled";
        place_.environment = {"XDG_CACHE_HOME=" + cache.string(), "CXXFLAGS=-O0"};
        exercise_ = files_.add("exercise.json", broadcasts_on_lines);
    }

    /// A program that does this before it broadcasts, with this before it.
    void add(const std::string& name, const std::string& statements, const std::string& before = "") {
        add_text(name, "#include <kport/kport.hpp>\n" + before +
                           "\nusing namespace kport;\nProgram mine(Node& self, NodeId source) {\n" + statements +
                           along_the_line +
                           "}\nKPORT_ALGORITHM(.operation = Operation::broadcast, .program = mine);\n");
    }
    void add_text(const std::string& name, const std::string& text) { files_.add("in/" + name + ".cpp", text); }
};

constexpr const char* not_allowed = "starts a thread or a process, writes a file or opens a connection";

TEST_F(Programs, ThatAreHonestGetTheirPointsTwiceTheSame) {
    add("honest", "");
    add("late", "co_await self.next_round();\n");
    add("reads", "std::ifstream(\"/proc/self/maps\").get();\n", "#include <fstream>");
    const Outcome once = graded();
    const nlohmann::json json = once.json();
    ASSERT_EQ(json["hand_ins"].size(), 3U);
    for (const auto& one : json["hand_ins"])
        EXPECT_EQ(one["points"], one["hand_in"] == "late.cpp" ? 4 : 6) << once.out << once.err;
    EXPECT_EQ(graded().out, once.out);
}

TEST_F(Programs, ThatEndTheRunOrPrintAReportGetNoPoints) {
    add("exits", "_exit(0);\n", "#include <unistd.h>");
    add("reports",
        "std::puts(\"verdict  all rules kept, 4 of 4 nodes hold the packet\");\nstd::fflush(stdout);\n_exit(0);\n",
        "#include <cstdio>\n#include <unistd.h>");
    add("crashes", "*static_cast<volatile int*>(nullptr) = 1;\n");
    add("aborts", "std::abort();\n", "#include <cstdlib>");
    add("throws", "throw std::runtime_error(\"no\");\n", "#include <stdexcept>");
    add("kills", "kill(getppid(), 9);\n", "#include <csignal>\n#include <unistd.h>");
    auto told = failures();
    EXPECT_EQ(told["exits"], "line:4: the program ends the whole run, with exit() or so");
    EXPECT_EQ(told["reports"], told["exits"]);
    EXPECT_EQ(told["crashes"], "line:4: the program crashes");
    EXPECT_EQ(told["aborts"], told["crashes"]);
    EXPECT_THAT(told["kills"], HasSubstr(not_allowed));
}

TEST_F(Programs, ThatLeaveTheirBoxGetNoPoints) {
    add("forks", "(void)fork();\n", "#include <unistd.h>");
    add("threads", "std::thread([] {}).join();\n", "#include <thread>");
    add("writes", "std::ofstream(\"/tmp/x\") << 1;\n", "#include <fstream>");
    add("fills", "const int fd = open(\"/dev/shm/x\", O_RDWR | O_CREAT, 0600);\n(void)ftruncate(fd, 1 << 30);\n",
        "#include <fcntl.h>\n#include <unistd.h>");
    add("connects", "(void)socket(AF_INET, SOCK_STREAM, 0);\n", "#include <sys/socket.h>");
    add("executes", "(void)execl(\"/bin/sh\", \"sh\", \"-c\", \"true\", nullptr);\n", "#include <unistd.h>");
    add("peeks",
        "char byte;\niovec here{&byte, 1};\niovec there{nullptr, 1};\n"
        "(void)process_vm_readv(getppid(), &here, 1, &there, 1, 0);\n",
        "#include <sys/uio.h>\n#include <unistd.h>");
    for (const auto& [name, sentence] : failures()) EXPECT_THAT(sentence, HasSubstr(not_allowed)) << name;
}

TEST_F(Programs, ThatShareStateBetweenNodesOrDrawTheirActsGetNoPoints) {
    std::string text = broadcasts_on_lines;
    text.replace(text.find("line:4"), 6, "hypercube:6");
    exercise_ = files_.add("cubes.json", text);
    const auto add_down_the_tree = [&](const std::string& name, const std::string& statements,
                                       const std::string& before) {
        add_text(name,
                 "#include <kport/kport.hpp>\n" + before + "\n" + down_the_tree_begin + statements + down_the_tree_end);
    };
    add_down_the_tree("counts", "static std::atomic<int> turn = 0;\nif (turn++ % 2 == 0) co_await self.next_round();\n",
                      "#include <atomic>");
    add_down_the_tree("clock",
                      "const auto now = std::chrono::steady_clock::now().time_since_epoch().count();\n"
                      "if (now / 64 % 2 == 0) co_await self.next_round();\n",
                      "#include <chrono>");
    add_down_the_tree(
        "random", "const unsigned drawn = std::random_device()();\nif (drawn % 2 == 0) co_await self.next_round();\n",
        "#include <random>");
    for (const auto& [name, sentence] : failures())
        EXPECT_THAT(sentence, HasSubstr("depends on the order in which the nodes run")) << name;
}

/// Down a line, a node finds in a variable that others have begun before it: in every order.
TEST_F(Programs, ThatLeaveWordInVariablesForLaterNodesGetNoPoints) {
    const auto add_alone = [&](const std::string& name, const std::string& act) {
        add(name, "if (++begun < 2 && self.id() != source) " + act + ";\n",
            "#include <unistd.h>\nstatic unsigned begun = 0;");
    };
    add_alone("ends", "co_return");
    add_alone("crashes", "*static_cast<volatile int*>(nullptr) = 1");
    add_alone("exits", "_exit(0)");
    add_alone("waits", "for (;;) pause()");
    for (const auto& [name, sentence] : failures())
        EXPECT_THAT(sentence, HasSubstr("they must share nothing but messages")) << name;
}

TEST_F(Programs, ThatUseUpTimeMemoryOrOutputGetNoPoints) {
    add("loops", "for (;;) {\n}\n");
    add("waits", "", "static const int never = [] { for (;;) {} return 0; }();");
    add("hogs",
        "static std::vector<char*> all;\nfor (;;) {\nall.push_back(new char[1 << 20]);\nall.back()[0] = 1;\n}\n",
        "#include <vector>");
    add("prints", "for (;;) std::fputs(\"all rules kept\\n\", stderr);\n", "#include <cstdio>");
    auto told = failures();
    EXPECT_EQ(told["loops"], "line:4: the program does not end within 2 s");
    EXPECT_EQ(told["waits"], told["loops"]);
}

TEST_F(Programs, ThatAreNoAlgorithmsGetNoPoints) {
    add_text("empty", "");
    add_text("garbage", std::string("\x7f"
                                    "ELF\0\1\2",
                                    7));
    add_text("nothing", "int main() { return 0; }\n");
    add_text("secrets", "#include \"/etc/passwd\"\n");
    add_text("endless", "template <int n> struct S { using T = typename S<n + 1>::T; };\nS<0>::T x;\n");
    add_text("await", "#include <kport/kport.hpp>\nint f(int);\nvoid g() { f(co_await 1, 2); }\n");
    std::filesystem::create_symlink("/etc/passwd", folder() + "/link.cpp");
    auto told = failures();
    EXPECT_EQ(told["link"], "line:4: a link is no hand-in; want the file itself");
    EXPECT_THAT(told["secrets"], HasSubstr("does not compile"));
    EXPECT_THAT(told["secrets"], Not(HasSubstr("root")));
}

TEST_F(Programs, ThatBreakARuleGetTheSentenceOfTheAuditor) {
    add_text("twice", std::string("#include <kport/kport.hpp>\nusing namespace kport;\n"
                                  "Program mine(Node& self, NodeId source) {\n") +
                          along_the_line +
                          "if (self.id() + 1 == self.nodes()) co_await self.send(0, packet);\n}\n"
                          "KPORT_ALGORITHM(.operation = Operation::broadcast, .program = mine);\n");
    EXPECT_THAT(failures()["twice"], HasSubstr("node"));
}

TEST_F(Programs, AreSealedAlsoWhereTheContainerAroundIsTheBox) {
    add("honest", "");
    add("forks", "(void)fork();\n", "#include <unistd.h>");
    const nlohmann::json json = kport({"grade", exercise_, folder(), "--json", "--already-contained"}, place_).json();
    EXPECT_EQ(json["hand_ins"][0]["points"], 0);
    EXPECT_THAT(json["hand_ins"][0]["first_failure"].get<std::string>(), HasSubstr(not_allowed));
    EXPECT_EQ(json["hand_ins"][1]["points"], 6);
}

TEST_F(Programs, ThatMayKnowTheirOwnPortsOnlyCannotAskForTheMachine) {
    exercise_ = files_.add("own.json", with("\"hand_in\"", "\"knows\": \"own\", \"hand_in\"", broadcasts_on_lines));
    add("asks", "");
    const std::string own_ports =
        "Packet packet;\nif (self.id() != source) {\nconst Arrival arrival = co_await self.receive();\n"
        "packet = arrival.packet();\n}\n"
        "for (Port port = 0; port < 2; ++port)\n"
        "    if (self.neighbour(port) == self.id() + 1) co_await self.send(port, packet);\n";
    const auto program = [&](const std::string& head, const std::string& body) {
        return "#include <kport/kport.hpp>\n" + head +
               "using namespace kport;\nProgram mine(Node& self, NodeId source) {\n" + body + own_ports +
               "}\nKPORT_ALGORITHM(.operation = Operation::broadcast, .program = mine);\n";
    };
    add_text("modest", program("", ""));
    add_text("through-machine", program("", "(void)self.machine();\n"));
    add_text("by-name", program("#define ASK topo##logy\n", "(void)self.ASK();\n"));
    const nlohmann::json json = graded().json();
    for (const auto& one : json["hand_ins"]) {
        const bool modest = one["hand_in"] == "modest.cpp";
        EXPECT_EQ(one["points"], modest ? 6 : 0) << one["hand_in"] << one["first_failure"];
        if (!modest) {
            EXPECT_THAT(one["first_failure"].get<std::string>(), HasSubstr("asks for the machine; here a node knows"));
        }
    }
    EXPECT_THAT(json["hand_ins"][0]["first_failure"].get<std::string>(), HasSubstr("does not compile: line 11: asks"));
}

TEST_F(Programs, AreRefusedWhereTheExerciseTakesNone) {
    std::string text = broadcasts_on_lines;
    text.replace(text.find(", \"cpp\""), 7, "");
    exercise_ = files_.add("schedules.json", text);
    add("honest", "");
    EXPECT_EQ(failures()["honest"], "line:4: the exercise takes no C++ programs; want a schedule (.json, .txt, .csv)");
}

}  // namespace
}  // namespace kport::test
