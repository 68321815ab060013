/// @file own_algorithms_test.cpp   Algorithms in files: written by kport new, compiled, run, judged; and what goes wrong there.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/own_algorithms.hpp"
#include "emulator/schedule/operation.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A folder of one's own; compiled without optimisation. Shared objects are kept with the build: what is compiled by one test, or
/// was by an earlier run, is found by the others as long as it and the headers are the same.
class OwnAlgorithms : public testing::Test {
  protected:
    OwnAlgorithms() { keep_in((std::filesystem::path(KPORT_PROGRAM).parent_path() / "tests/cli/compiled").string()); }

    void keep_in(const std::string& folder) { place_.environment = {"XDG_CACHE_HOME=" + folder, "CXXFLAGS=-O0"}; }

    /// A file with a broadcast whose program does this.
    std::string add(const std::string& name, const std::string& statements, const std::string& before = "") {
        return files_.add(name, "#include <kport/kport.hpp>\n" + before +
                                    "using namespace kport;\nProgram mine(Node& self, NodeId source) {\n" + statements +
                                    "\n}\nKPORT_ALGORITHM(.operation = Operation::broadcast, .program = mine);\n");
    }
    [[nodiscard]] Outcome run(const std::string& arguments) const { return kport(arguments, place_); }
    [[nodiscard]] std::string path(const std::string& name) const { return files_.folder() + "/" + name; }

    Files files_;
    Place place_;
};

/// Along a line, from left to right.
constexpr const char* along_a_line =
    "Packet packet;\n"
    "if (self.id() != source) {\n"
    "    const Arrival arrival = co_await self.receive();\n"
    "    packet = arrival.packet();\n"
    "}\n"
    "const Port right = self.topology().port_to(self.id(), self.id() + 1);\n"
    "if (self.id() + 1 < self.nodes()) co_await self.send(right, packet);";

class NewAlgorithm : public OwnAlgorithms, public testing::WithParamInterface<const char*> {};

TEST_P(NewAlgorithm, IsWrittenSoThatItRunsAndKeepsAllRules) {
    const std::string operation = GetParam();
    const Outcome written = run("new " + operation + " " + path("mine.cpp"));
    EXPECT_EQ(written.status, 0) << written.err;
    const std::size_t command = written.out.find("kport run ");
    ASSERT_NE(command, std::string::npos) << written.out;
    const Outcome outcome = run(written.out.substr(command + 6));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("verdict  all rules kept"));
    EXPECT_THAT(outcome.out, HasSubstr("--algorithm " + path("mine.cpp") + "\n"));
    const Outcome stressed =
        run("stress --operation " + operation + " --cases 40 --nodes 16 --algorithm " + path("mine.cpp"));
    EXPECT_EQ(stressed.status, 0) << stressed.out << stressed.err;
}

INSTANTIATE_TEST_SUITE_P(OfEachOperation, NewAlgorithm,
                         testing::Values("broadcast", "scatter", "gather", "reduce", "allreduce", "scan", "allgather",
                                         "alltoall", "reduce-scatter", "barrier", "permutation", "exscan",
                                         "neighbor-allgather", "neighbor-alltoall"),
                         [](const auto& at) {
                             std::string name = at.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(TemplatesOfAlgorithms, AreThereForEveryOperation) {
    for (const Operation& operation : operations())
        EXPECT_THAT(cli::own_templates(),
                    testing::Contains(testing::Field(&cli::OwnTemplate::operation, name(operation))));
}

TEST_F(OwnAlgorithms, OfLongMessagesAreWrittenForSeveralPacketsOfEach) {
    for (const std::string operation : {"reduce-scatter", "permutation"}) {
        const std::string file = path(operation + ".cpp");
        EXPECT_EQ(run("new " + operation + " " + file).status, 0);
        const Outcome outcome = run("run " + operation + " --on hypercube:3 --packets 3 --algorithm " + file);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.out, HasSubstr("verdict  all rules kept"));
    }
    const std::string shifted =
        "run permutation --on ring:6 --permutation shift:2 --algorithm " + path("permutation.cpp");
    EXPECT_EQ(run(shifted).status, 0);
}

TEST_F(OwnAlgorithms, ServeAPromiseInAFileAndAreJudgedByIt) {
    const std::string promise = files_.add("p.txt", "on line:3\npackets 2\nowns 0: 0..1\nwants 1, 2: 1\n");
    const auto verdict_of = [&](const std::string& name, const std::string& packet) {
        const std::string file = files_.add(
            name,
            "#include <kport/kport.hpp>\nusing namespace kport;\nProgram mine(Node& self) {\n" +
                std::string("Packet packet(") + packet + ");\n" +
                "if (self.id() != 0) {\n    const Arrival arrival = co_await self.receive();\n"
                "    packet = arrival.packet();\n}\n"
                "if (self.id() < 2) co_await self.send(self.topology().port_to(self.id(), self.id() + 1), packet);\n}\n"
                "KPORT_ALGORITHM(.operation = Operation::promise, .program = mine, .all_start = true);\n");
        return run("run promise --promise " + promise + " --algorithm " + file);
    };
    const Outcome right = verdict_of("right.cpp", "1");
    EXPECT_EQ(right.status, 0) << right.err << right.out;
    const Outcome wrong = verdict_of("wrong.cpp", "0");
    EXPECT_EQ(wrong.status, 1) << wrong.err;
    EXPECT_THAT(wrong.out, HasSubstr("NOT delivered"));
}

TEST_F(OwnAlgorithms, AreNotWrittenOverAFile) {
    EXPECT_EQ(run("new broadcast " + path("mine.cpp")).status, 0);
    const Outcome again = run("new scatter " + path("mine.cpp"));
    EXPECT_EQ(again.status, 2);
    EXPECT_EQ(again.err, "kport: '" + path("mine.cpp") + "' exists; kport new does not overwrite files\n");
    EXPECT_THAT(run("new broadcast").out, HasSubstr("KPORT_ALGORITHM(.operation = Operation::broadcast"));
    EXPECT_THAT(run("new broadcast mine.txt").err, StartsWith("kport: 'mine.txt' is no C++ file"));
    const Outcome nowhere = run("new broadcast /no/folder/x.cpp");
    EXPECT_EQ(nowhere.status, 2);
    EXPECT_EQ(nowhere.err, "kport: '/no/folder/x.cpp': there is no folder '/no/folder'\n");
    EXPECT_THAT(run("new").err, StartsWith("kport: kport new needs an operation and a file"));
    EXPECT_THAT(run("new promise mine.cpp").err, StartsWith("kport: promise is what a file says"));
}

TEST_F(OwnAlgorithms, AreRunLikeAnyOtherByEveryCommand) {
    const std::string mine = add("mine.cpp", along_a_line);
    const Outcome report = run("run broadcast --on line:5 --algorithm " + mine + " --json --record " + path("r.json"));
    ASSERT_EQ(report.status, 0) << report.err;
    const nlohmann::json json = report.json();
    EXPECT_EQ(json["algorithm"], mine);
    EXPECT_EQ(json["measured"]["rounds"], 4);
    EXPECT_EQ(json["bounds"]["rounds"], 4);
    EXPECT_EQ(json["lawful"], true);
    EXPECT_EQ(run("check " + path("r.json")).status, 0);
    EXPECT_THAT(run("show broadcast --on line:3 --algorithm " + mine).out, HasSubstr("round 2   1 -> 2"));
    const Outcome compared = run("compare broadcast --on line:5 --with " + mine);
    EXPECT_EQ(compared.status, 0);
    EXPECT_THAT(compared.out, HasSubstr("\ndost "));
    EXPECT_THAT(compared.out, HasSubstr("\n" + mine + " "));
    EXPECT_EQ(run("explain broadcast --on line:5 --algorithm " + mine).status, 0);
    EXPECT_EQ(run("stress --operation broadcast --on line:9 --cases 5 --algorithm " + mine).status, 1)
        << "from another source than the left end it delivers to nobody on its left";
    const Outcome other = run("run scatter --on line:5 --algorithm " + mine);
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("' is not one of scatter; on "));
}

TEST_F(OwnAlgorithms, StandBesideTheAlgorithmsThatAreNamedAndBesideTheSizesOfAMessage) {
    const std::string mine = add("mine.cpp", along_a_line);
    const auto has_row = [&](const std::string& options) {
        const Outcome outcome = run("compare broadcast --on line:5 --with " + mine + options);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out.find(mine) != std::string::npos;
    };
    for (const char* options : {" --algorithm dost", " --algorithm dost,layered", " --csv", " --message 64..128 --csv",
                                " --message 64 --algorithm dost --csv", " --ports 1,2"})
        EXPECT_TRUE(has_row(options)) << options;
    EXPECT_THAT(run("compare broadcast --on line:5 --message 64 --csv --with " + mine).out,
                HasSubstr("\n64," + mine + ",1,64,"))
        << "it sends one packet, so a message in more is not delivered, and has no latency";
    EXPECT_THAT(run("compare broadcast --on line:5 --message 64,128 --with " + mine).out,
                testing::ContainsRegex("message .* " + mine + "\n"))
        << "a column of its latencies";
    const Outcome twice = run("compare broadcast --on line:5 --with " + mine + " " + mine);
    EXPECT_EQ(twice.status, 2);
    EXPECT_THAT(twice.err, HasSubstr("is compared already; want each once"));
    const Outcome other = run("compare reduce --on line:5 --with " + mine);
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("is not one of reduce"));
}

TEST_F(OwnAlgorithms, ThatThrowAreARowThatSaysSoAndLeaveTheOthersAsTheyAre) {
    const std::string thrower = add("thrower.cpp", "co_await self.next_round(); throw std::runtime_error(\"no luck\");",
                                    "#include <stdexcept>\n");
    const std::string good = add("mine.cpp", along_a_line);
    for (const char* machines : {" --on line:5", " --sweep line:5 line:6"}) {
        const std::string line = std::string("compare broadcast") + machines + " --with " + thrower + " " + good;
        const Outcome text = run(line);
        EXPECT_EQ(text.status, 4) << text.err;
        EXPECT_THAT(text.out, HasSubstr("no luck"));
        EXPECT_THAT(text.out, HasSubstr(good));
        EXPECT_THAT(text.out, HasSubstr("dost"));
        const Outcome json = run(line + " --json");
        const nlohmann::json machine = json.json().contains("machines") ? json.json()["machines"][1] : json.json();
        ASSERT_EQ(machine["failed"].size(), 1U);
        EXPECT_EQ(machine["failed"][0]["algorithm"], thrower);
        EXPECT_THAT(machine["failed"][0]["why"].get<std::string>(), HasSubstr("no luck"));
        EXPECT_GT(machine["runs"].size(), 2U);
    }
    const Outcome csv = run("compare broadcast --on line:5 --csv --with " + thrower);
    EXPECT_EQ(csv.status, 4);
    EXPECT_THAT(csv.out, HasSubstr("," + thrower + ","));
    EXPECT_THAT(csv.out, HasSubstr("no luck"));
}

TEST_F(OwnAlgorithms, AreCompiledAgainWhenWhatTheyIncludeHasChanged) {
    keep_in(path("cache"));
    const std::string mine =
        add("mine.cpp", "if (lazy) co_return;\n" + std::string(along_a_line), "#include \"my.hpp\"\n");
    files_.add("my.hpp", "constexpr bool lazy = false;\n");
    const std::string command = "run broadcast --on line:3 --algorithm " + mine;
    EXPECT_EQ(run(command).status, 0);
    files_.add("my.hpp", "constexpr bool lazy = true;\n");
    EXPECT_EQ(run(command).status, 1);
    files_.add("my.hpp", "constexpr bool lazy = false;\n");
    EXPECT_EQ(run(command).status, 0);
    const auto kept = std::filesystem::directory_iterator(path("cache/kport/algorithms"));
    EXPECT_EQ(std::distance(begin(kept), end(kept)), 2) << "the third run found the object of the first";
}

TEST_F(OwnAlgorithms, OfTheSameTextInAnotherFolderAreCompiledOnce) {
    keep_in(path("cache"));
    std::filesystem::create_directory(path("other"));
    EXPECT_EQ(run("run broadcast --on line:3 --algorithm " + add("mine.cpp", along_a_line)).status, 0);
    EXPECT_EQ(run("run broadcast --on line:3 --algorithm " + add("other/mine.cpp", along_a_line)).status, 0);
    const auto kept = std::filesystem::directory_iterator(path("cache/kport/algorithms"));
    EXPECT_EQ(std::distance(begin(kept), end(kept)), 1);
}

TEST_F(OwnAlgorithms, AreCompiledWithHeadersReadOnceFromTheSecondFileOnOrWithoutWhereTheseCannotBeRead) {
    keep_in(path("cache"));
    place_.environment.emplace_back("CXX=g++");
    const auto verdict_of = [&](const std::string& name) {
        return run("run broadcast --on line:3 --algorithm " + add(name, along_a_line)).status;
    };
    const auto read_beforehand = [&] {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path("cache/kport/headers")))
            if (entry.path().extension() == ".gch") found.push_back(entry.path());
        return found;
    };
    EXPECT_EQ(verdict_of("first.cpp"), 0);
    EXPECT_EQ(read_beforehand().size(), 0);
    EXPECT_EQ(verdict_of("second.cpp"), 0);
    ASSERT_EQ(read_beforehand().size(), 1);
    EXPECT_EQ(read_beforehand().front().filename(), "kport.hpp.gch");
    std::ofstream(read_beforehand().front()) << "no header";
    EXPECT_EQ(verdict_of("third.cpp"), 0);
    const Outcome wrong = run("run broadcast --on line:3 --algorithm " + add("fourth.cpp", "no statement;"));
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("fourth.cpp' does not compile"));
}

TEST_F(OwnAlgorithms, ThatBreakARuleAreToldAsAnyOther) {
    const std::string mine =
        add("mine.cpp",
            "const Port right = self.topology().port_to(0, 1);\n"
            "for (int i = 0; i < 2 && self.id() == source; ++i) co_await self.send(right, Packet());");
    const Outcome outcome = run("run broadcast --on line:2 --algorithm " + mine);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, HasSubstr("NODUP broken: node 1 receives packet 0 again"));
}

TEST_F(OwnAlgorithms, ThatCannotRunAreRefusedWithTheReason) {
    const auto refused = [&](const std::string& mine) {
        const Outcome outcome = run("run broadcast --on line:3 --algorithm " + mine);
        EXPECT_EQ(outcome.status, 2) << mine;
        EXPECT_EQ(outcome.out, "");
        return outcome.err;
    };
    for (const char* file : {"./nosuch.cpp", "nosuch.so", "../nosuch.txt"})
        EXPECT_EQ(refused(file),
                  fmt::format("kport: algorithm '{}': there is no file {}; want one, such as ./mine.cpp ('kport new' "
                              "writes one), or a name ('kport list algorithms' shows all)\n",
                              file, std::filesystem::absolute(file).lexically_normal().string()));
    EXPECT_THAT(refused(files_.add("mine.txt", "")), HasSubstr("mine.txt' is no C++ file; want one"));
    const std::string wrong = add("wrong.cpp", "co_await self.snd(0);");
    EXPECT_THAT(refused(wrong), HasSubstr("wrong.cpp:4:15: error: "));
    EXPECT_THAT(refused(wrong), HasSubstr("\nkport: algorithm '" + wrong + "' does not compile; c++ says why above\n"));
    const std::string inside = add("inside.cpp", "if (co_await self.receive(); true) co_return;");
    EXPECT_EQ(refused(inside), "kport: algorithm " + inside +
                                   ":4: co_await inside parentheses or brackets. g++ 12.2 miscompiles co_await inside "
                                   "larger expressions (docs/execution.md): name the result first\n");
    EXPECT_THAT(refused(files_.add("none.cpp", "int x;\n")), HasSubstr("has no KPORT_ALGORITHM("));
    EXPECT_THAT(refused(add("half.cpp", "f(); co_return;", "void f();\n")), HasSubstr("cannot be loaded: "));
    place_.environment.emplace_back("CXX=nosuch");
    EXPECT_THAT(refused(wrong), HasSubstr("needs a C++20 compiler, and there is none of this name: nosuch"));
}

TEST_F(OwnAlgorithms, BuiltForAnotherKportAreRefused) {
    keep_in(path("cache"));
    const std::string mine = add("mine.cpp", along_a_line);
    ASSERT_EQ(run("run broadcast --on line:3 --algorithm " + mine).status, 0);
    const std::filesystem::path object =
        begin(std::filesystem::directory_iterator(path("cache/kport/algorithms")))->path();
    std::filesystem::copy_file(object, path("same.so"));
    EXPECT_EQ(run("run broadcast --on line:3 --algorithm " + path("same.so")).status, 0);
    std::ifstream in(object, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::string mark = "kport built for ";
    bytes.replace(bytes.find(mark) + mark.size(), 5, "9.9.9");
    const Outcome outcome = run("run broadcast --on line:3 --algorithm " + files_.add("other.so", bytes));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, StartsWith("kport: algorithm '" + path("other.so") + "' was built for kport '9.9.9-"));
}

TEST_F(OwnAlgorithms, ThatCrashOrLeaveEndInALineAndStatus4) {
    const auto ended = [&](const std::string& mine) {
        const Outcome outcome = run("run broadcast --on line:3 --algorithm " + mine);
        EXPECT_EQ(outcome.status, 4) << mine;
        return outcome.err;  // behind a sign of life where compiling takes long
    };
    const std::string crash = add("crash.cpp", "volatile int* nowhere = nullptr;\n*nowhere = 1;\nco_return;");
    EXPECT_THAT(ended(crash), EndsWith("kport: " + crash + " crashed: Segmentation fault; no verdict\n"));
    const std::string leave = add("leave.cpp", "std::exit(0);\nco_return;", "#include <cstdlib>\n");
    EXPECT_THAT(ended(leave),
                EndsWith("kport: " + leave + " ended the whole program (with exit() or so); no verdict\n"));
    const std::string thrown = add("throw.cpp", "throw std::runtime_error(\"oops\");\nco_return;");
    EXPECT_THAT(ended(thrown), EndsWith("kport: a node program failed: node 0 in round 1: oops\n"));
    const std::string loop = add("loop.cpp", "for (volatile bool ever = true; ever;) {\n}\nco_return;");
    EXPECT_THAT(ended(loop), HasSubstr("kport: stopped without a report in round 1: node 0 has been computing for 10"));
    const Outcome stressed = run("stress --operation broadcast --on line:3 --cases 3 --algorithm " + loop);
    EXPECT_EQ(stressed.status, 4);
    EXPECT_THAT(stressed.err, HasSubstr("kport: stopped without a report in round 1: node "));
    EXPECT_THAT(stressed.err, HasSubstr(" on line:3; a program in a file may compute for 10 s\n"));
}

TEST_F(OwnAlgorithms, OfAFolderAreJudgedInATable) {
    add("ann.cpp", along_a_line);
    add("bob.cpp", "co_return;");
    add("cyd.cpp", "volatile int* nowhere = nullptr;\n*nowhere = 1;\nco_return;");
    add("dan.cpp", "co_await self.snd(0);");
    files_.add("eve.txt", "on line:3\nbroadcast from 0\nround 1: 0 -> 1\nround 2: 1 -> 2\n");
    files_.add("notes.hpp", "// included by one of them\n");
    const std::string command = "check " + files_.folder() + " broadcast --on line:3";
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 1) << "bob.cpp breaks a rule: the gravest of five";
    for (const char* line :
         {"ann.cpp   broadcast        2       2      2   all rules kept, 3 of 3 nodes hold the packet\n",
          "bob.cpp   broadcast        0       2      0   NOT delivered (2 violations), 1 of 3 nodes holds the packet\n",
          "cyd.cpp   -                -       -      -   crashed: Segmentation fault; no verdict\n",
          "dan.cpp   -                -       -      -   refused: does not compile: dan.cpp:4:15: error: ",
          "eve.txt   broadcast        2       2      2   all rules kept, 3 of 3 nodes hold the packet\n"})
        EXPECT_THAT(outcome.out, HasSubstr(line));
    EXPECT_THAT(run(command + " --csv").out,
                HasSubstr("\nann.cpp,broadcast,2,2,2,2.128,0,\"all rules kept, 3 of 3 nodes hold the packet\"\n"));
    EXPECT_EQ(run(command + " --json").json().size(), 5U);
    EXPECT_EQ(run("check " + path("ann.cpp") + " broadcast --on line:3").status, 0);
    EXPECT_THAT(run("check " + path("ann.cpp")).err,
                HasSubstr("is an algorithm: of which operation, on which machine?"));
}

}  // namespace
}  // namespace kport::test
