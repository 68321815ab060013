/// @file answer_test.cpp   The door below the command line: answers as the program gives them, hostile requests, many threads.
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/requests/answer.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"
#include "tests/requests/answers.hpp"

namespace kport::test {
namespace {

using requests::Answer;
using requests::Client;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view scatter =
    "on ring:4\nscatter from 0\nround 1: 0 -> 1 {1..2}\nround 2: 1 -> 2 {2}, 0 -> 3 {3}\n";

/// What the program writes on standard error.
std::string complaints(const Answer& answer) {
    std::string all;
    for (const std::string& warning : answer.warnings) all += fmt::format("kport: {}\n", warning);
    return answer.error.empty() ? all : all + fmt::format("kport: {}\n", answer.error);
}

/// On up to 8 nodes a search tells what no formula does (docs/search.md).
TEST(BoundsOfSmallMachines, AreSettledBySearch) {
    EXPECT_THAT(answer_to("bounds scan --on ring:5").text, Not(HasSubstr("unknown")));
    const std::string run = answer_to("run scan --on line:5 --ports all --algorithm gather-scatter").text;
    EXPECT_THAT(run, Not(HasSubstr("not known to be reachable")));
    EXPECT_THAT(answer_to("explain alltoall --on ring:5").text, HasSubstr("search"));
}

class ARequest : public testing::TestWithParam<const char*> {};

TEST_P(ARequest, IsAnsweredAsTheProgramAnswersIt) {
    Place place;
    place.columns = "80";
    const Outcome program = kport(GetParam(), place);
    const Answer answer = answer_to(GetParam());
    EXPECT_EQ(answer.text, program.out);
    EXPECT_EQ(complaints(answer), program.err);
    EXPECT_EQ(answer.status, program.status);
}

INSTANTIATE_TEST_SUITE_P(
    OfEachCommand, ARequest,
    testing::Values(
        "", "--help", "--version", "run --help", "compare --help", "help show",
        "run broadcast --on hypercube:4 --reproducible", "run allreduce --on ring:5 --json --reproducible",
        "run broadcast --on mesh:3x4 --per-round --picture --reproducible",
        "run broadcast --on mesh:3x4 --inject drop --reproducible",
        "run broadcast --on ring:9 --max-rounds 2 --reproducible", "run broadcast --on hypercube:3 --algorithm nothing",
        "run broadcast", "run broadcast --on", "run broadcast --on hypercube:3 --bytes 1EiB",
        "broadcast --on hypercube:3", "compare broadcast --on mesh:3x4 --reproducible",
        "compare scatter --on ring:5 --json --reproducible",
        "compare broadcast --sweep hypercube:{2..4} --csv --reproducible",
        "compare broadcast --on mesh:3x4 --message 64..1KiB", "compare allgather --on star:5 --algorithm ring",
        "bounds broadcast --on hypercube:40", "bounds scatter --on mesh:3x3 --json", "explain broadcast --on torus:5x5",
        "explain broadcast --on mesh:4x4 --message 1MiB --json", "info petersen", "info petersen --json",
        "info mesh:3x3 --picture", "list", "list algorithms scatter", "list formats --json", "list nothing",
        "show scatter --on hypercube:3", "show broadcast --on mesh:4x4 --as svg",
        "show broadcast --on mesh:4x4 --as html", "show reduce --on ring:4 --rounds 9", "convert mesh:2x3 --to dot",
        "convert petersen", "convert petersen --to nothing", "search broadcast --on petersen --reproducible",
        "search allgather --on ring:5 --json --reproducible"));

TEST(ACommandOfTheProgram, IsRefusedWithThoseThatAreAnswered) {
    for (const char* line : {"chip", "bench broadcast --on ring:4", "new broadcast", "manual", "completion bash"}) {
        const Answer answer = answer_to(line);
        EXPECT_EQ(answer.status, 2) << line;
        EXPECT_THAT(answer.text, IsEmpty());
        EXPECT_THAT(answer.error, HasSubstr("is a command of the program kport only; want one of run, compare"))
            << line;
    }
}

TEST(TheInput, IsTheScheduleThatAFileWouldHold) {
    const Answer check = answer_to("check - --reproducible", scatter);
    EXPECT_EQ(check.status, 0) << check.error;
    EXPECT_THAT(check.text, HasSubstr("all rules kept"));
    EXPECT_EQ(answer_to("check - --json --reproducible", scatter).status, 0);
    EXPECT_THAT(answer_to("show - --as svg", scatter).text, HasSubstr("<svg"));
    EXPECT_THAT(answer_to("convert - --to json", scatter).text, HasSubstr("\"ring:4\""));
    const Answer broken = answer_to("check -", "on ring:4\nscatter from 0\nround 1: 1 -> 2 {2}\n");
    EXPECT_EQ(broken.status, 1);
    EXPECT_THAT(broken.text, HasSubstr("node 1 sends packet 2"));
}

TEST(TheInput, IsTheGraphThatDashNamesAsAMachine) {
    const Answer run = answer_to("run broadcast --on - --reproducible", "0 1\n1 2\n2 0\n");
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_THAT(run.text, HasSubstr("3 nodes"));
    EXPECT_THAT(answer_to("compare broadcast --on - --source 0,1,2 --reproducible", "0 1\n1 2\n2 0\n").text,
                HasSubstr("source"));
    EXPECT_THAT(answer_to("info -", "graph { a -- b; b -- c }").text, HasSubstr("a "));
    EXPECT_EQ(answer_to("convert - --to metis", "0 1\n").text, "2 1\n2\n1\n");
    EXPECT_EQ(answer_to("run broadcast --on -", "").status, 2);
}

/// Everything of a run's report that may differ from run to run, on another number of threads.
TEST(Reproducible, IsTheSameTextOnAnyNumberOfThreads) {
    for (const char* line :
         {"run broadcast --on hypercube:14", "run broadcast --on hypercube:14 --json",
          "run allreduce --on hypercube:10 --per-round", "run broadcast --on hypercube:10 --engine free",
          "run scatter --on hypercube:8 --engine free --json", "compare broadcast --on hypercube:12",
          "compare broadcast --on hypercube:12 --json", "compare allreduce --sweep hypercube:{3..6} --csv",
          "compare scatter --sweep ring:{3..6}"}) {
        std::map<std::string, int> answers;
        for (const int threads : {1, 2, 3, 7})
            ++answers[answer_to(fmt::format("{} --reproducible --threads {}", line, threads)).text];
        ++answers[answer_to(fmt::format("{} --reproducible", line)).text];
        EXPECT_EQ(answers.size(), 1U) << line << "\n" << answers.begin()->first << "\n" << answers.rbegin()->first;
        EXPECT_FALSE(answers.begin()->first.empty());
    }
}

TEST(Reproducible, LeavesOutTimesMemoryAndTheLineOfTheChip) {
    const std::string text = answer_to("run broadcast --on hypercube:4 --reproducible").text;
    EXPECT_THAT(text, Not(HasSubstr("\nchip ")));
    EXPECT_THAT(text, HasSubstr("\nagain   kport run broadcast"));
    EXPECT_THAT(answer_to("run broadcast --on hypercube:4").text, HasSubstr("\nchip "));
    Client narrow;
    narrow.width = 40;
    const std::vector<std::string> line =
        words("run broadcast --on hypercube:4 --engine free --order 1 --reproducible");
    EXPECT_THAT(requests::answer(line, "", narrow).text, Not(testing::ContainsRegex("chip|thread|lockstep|ns a")));
    EXPECT_THAT(answer_to("check - --reproducible", scatter).text, Not(HasSubstr("\naudit ")));
    for (const char* line_of_json : {"run broadcast --on hypercube:4 --json", "compare broadcast --on ring:4 --json",
                                     "search allgather --on ring:5 --json"}) {
        const std::string json = answer_to(std::string(line_of_json) + " --reproducible").text;
        EXPECT_TRUE(nlohmann::json::accept(json));
        for (const char* key : {"wall_seconds", "peak_rss_bytes", "\"seconds\"", "\"threads\""})
            EXPECT_THAT(json, Not(HasSubstr(key))) << line_of_json;
    }
    EXPECT_EQ(answer_to("run broadcast --on ring:4 --calibrated --reproducible").status, 2);
}

/// Runs in an empty folder, which must be empty afterwards.
void expect_refused(const std::string& line, std::string_view input = "") {
    const Answer answer = answer_to(line, input);
    EXPECT_EQ(answer.status, 2) << line;
    EXPECT_THAT(answer.text, IsEmpty()) << line;
    EXPECT_THAT(answer.error, Not(IsEmpty())) << line;
    EXPECT_THAT(answer.error, Not(HasSubstr("unexpected"))) << line;
}

TEST(Files, AreWrittenOnlyWhereTheClientAllowsIt) {
    Files files;
    const std::string x = files.folder() + "/x";
    for (const std::string& line : std::vector<std::string>{
             "run broadcast --on ring:4 --record " + x + ".json", "run broadcast --on ring:4 --record x.txt",
             "run broadcast --on ring:4 --trace " + x + ".json", "run broadcast --on ring:4 --picture " + x + ".svg",
             "info ring:4 --picture " + x + ".svg", "show broadcast --on ring:4 --output " + x + ".svg",
             "compare broadcast --sweep ring:{3..5} --plot " + x + ".svg",
             "compare broadcast --on ring:4 --message 64..1KiB --plot " + x + ".svg",
             "explain broadcast --on ring:4 --message 1KiB --plot " + x + ".svg", "convert petersen " + x + ".dot",
             "search broadcast --on petersen --record " + x + ".json",
             "search broadcast --on petersen --proof " + x + ".drat", "run broadcast --on ring:4 -o " + x})
        expect_refused(line);
    EXPECT_TRUE(std::filesystem::is_empty(files.folder()));
    EXPECT_FALSE(std::filesystem::exists("x.txt"));
    EXPECT_THAT(answer_to("show broadcast --on ring:4 --output x.svg").error,
                testing::StrEq("--output 'x.svg': no file is written here; leave --output out"));
}

TEST(Files, AreReadOnlyWhereTheClientAllowsIt) {
    Files files;
    files.add("net.txt", "0 1\n1 2\n");
    files.add("scatter.txt", std::string(scatter));
    files.add("0", "0 init\n0 finalize\n");
    files.add("mine.cpp", "int x;");
    const std::string at = files.folder() + "/";
    for (const std::string& line :
         std::vector<std::string>{"run broadcast --on " + at + "net.txt",
                                  "run broadcast --on file:" + at + "net.txt",
                                  "run broadcast --on product(file:" + at + "net.txt,ring:3)",
                                  "compare broadcast --sweep " + at + "net.txt",
                                  "info " + at + "net.txt",
                                  "info file:/etc/passwd",
                                  "bounds broadcast --on " + at + "net.txt",
                                  "check " + at + "scatter.txt",
                                  "check " + files.folder(),
                                  "check " + at + "scatter.txt --csv",
                                  "check " + at + "scatter.txt --repair",
                                  "show " + at + "scatter.txt",
                                  "convert " + at + "scatter.txt --to json",
                                  "convert " + at + "net.txt --to dot",
                                  "check " + at + "mine.cpp broadcast --on ring:4",
                                  "run broadcast --on ring:4 --algorithm " + at + "mine.cpp",
                                  "compare broadcast --on ring:4 --with " + at + "mine.cpp",
                                  "compare broadcast --on ring:4 --message 8..64 --with " + at + "mine.cpp",
                                  "explain broadcast --on ring:4 --algorithm " + at + "mine.cpp",
                                  "run broadcast --on ring:4 --calibrated",
                                  "run broadcast --on ring:4 --calibrated " + at + "net.txt"})
        expect_refused(line);
    // What is read may name files in turn.
    expect_refused("check -", fmt::format("on {}net.txt\nbroadcast from 0\nround 1: 1 -> 0 {{0}}\n", at));
    expect_refused("check -", fmt::format("on file:{}net.txt\nbroadcast from 0\nround 1: 1 -> 0 {{0}}\n", at));
    expect_refused("check - allgather", at + "0\n");
    expect_refused("check - allgather --repair", at + "0\n");
    expect_refused("convert - --to json", at + "0\n");
    expect_refused("show - allgather", at + "0\n");
    expect_refused("check - allgather", "# a list of traces\n\n" + at + "0\n");
    EXPECT_THAT(answer_to("info file:/etc/passwd").error, HasSubstr("no file is read here"));
    EXPECT_THAT(answer_to("run sendrecv --on ring:4 --permutation file:/etc/passwd").error,
                HasSubstr("--permutation 'file:/etc/passwd': files are not read here; want list:T,T,..."));
}

TEST(Files, AreThoseOfTheClient) {
    class Memory final : public Client {
      public:
        bool may_read(const std::string& path) const override { return path.ends_with("scatter.txt"); }
        void require_place(std::string_view, const std::string&) const override {}
        void write_file(std::string_view, const std::string& file,
                        const std::function<void(std::ostream&)>& write) override {
            std::ostringstream out;
            write(out);
            written[file] = std::move(out).str();
        }
        std::map<std::string, std::string> written;
    };
    Files files;
    files.add("scatter.txt", std::string(scatter));
    Memory client;
    const std::vector<std::string> record = words("run broadcast --on ring:4 --record x.txt --picture y.svg");
    EXPECT_EQ(requests::answer(record, "", client).status, 0);
    EXPECT_THAT(client.written.at("x.txt"), HasSubstr("ring:4"));
    EXPECT_THAT(client.written.at("y.svg"), HasSubstr("<svg"));
    const std::vector<std::string> check = {"check", files.folder() + "/scatter.txt"};
    EXPECT_EQ(requests::answer(check, "", client).status, 0);
    EXPECT_EQ(client.written.size(), 2U);
    // A list of trace files that the client allows, of which it does not allow one.
    files.add("0", "0 init\n0 finalize\n");
    files.add("traces-scatter.txt", "0\n");
    const std::vector<std::string> traces = {"check", files.folder() + "/traces-scatter.txt", "allgather"};
    EXPECT_THAT(requests::answer(traces, "", client).error, HasSubstr("is in no known form"));
}

TEST(AHostileRequest, IsRefusedWithASentence) {
    for (const std::vector<std::string>& line :
         std::vector<std::vector<std::string>>{{"\xff\xfe"},
                                               {"run", "\xc3\x28", "--on", "ring:4"},
                                               {"run", "broadcast", "--on", "\xff"},
                                               {"run", "broadcast", "--on", "ring:4", "--algorithm", "\x80\x80"},
                                               {"run", "broadcast", "--on", "ring:4", "--json", "--rules", "\xff"},
                                               {""},
                                               {"", ""},
                                               {"run", ""},
                                               {"run", "broadcast", "--on", ""},
                                               {"run", std::string("broad\0cast", 10)},
                                               {std::string(1, '\0')},
                                               {"--"},
                                               {"-"},
                                               {"run", "--on=ring:4", "=", "==="},
                                               {std::string(1'000'000, 'a')},
                                               {"run", "broadcast", "--on", std::string(100'000, '(')},
                                               {"info", "product(" + std::string(1000, '(')}}) {
        const Answer answer = answer_to(line);
        EXPECT_EQ(answer.status, 2) << line.front().substr(0, 50);
        EXPECT_THAT(answer.error, Not(IsEmpty()));
        EXPECT_THAT(answer.error, Not(HasSubstr("unexpected error")));
        EXPECT_THAT(answer.text, IsEmpty());
    }
}

TEST(AHostileRequest, MayHaveTenThousandWords) {
    for (const std::string word : {"word", "--json", "--on", "-x", "help"}) {
        EXPECT_EQ(answer_to(std::vector<std::string>(10'000, word)).status, 2) << word;
        std::vector<std::string> line = words("run broadcast --on ring:4");
        line.resize(10'000, word);
        EXPECT_EQ(answer_to(line).status, 2) << word;
    }
    std::vector<std::string> sweep = words("compare broadcast --sweep");
    sweep.resize(10'000, "ring:3");
    EXPECT_EQ(answer_to(sweep).status, 2) << "each machine once";
}

TEST(AHostileInput, OfAnyBytesIsRefusedOrJudged) {
    std::mt19937 dice(7);  // the same inputs each time
    for (int i = 0; i < 300; ++i) {
        std::string bytes(dice() % 200, '\0');
        for (char& c : bytes) c = static_cast<char>(dice());
        std::string mutated(scatter);
        for (unsigned j = 0; j <= dice() % 3; ++j) mutated[dice() % mutated.size()] = static_cast<char>(dice());
        for (const std::string& input : {bytes, mutated})
            for (const char* line : {"check - --json", "convert - --to goal", "show -", "run broadcast --on -"}) {
                const Answer answer = answer_to(line, input);
                EXPECT_LE(answer.status, 2) << line << "\n" << input;
                EXPECT_EQ(answer.status == 2, !answer.error.empty());
                EXPECT_THAT(answer.error, Not(HasSubstr("unexpected error"))) << line << "\n" << input;
            }
    }
}

TEST(ManyThreads, MayAskAtOnce) {
    const std::vector<std::string> lines = {"run broadcast --on hypercube:8 --reproducible",
                                            "compare allreduce --on ring:6 --json --reproducible",
                                            "check - --reproducible",
                                            "run broadcast --on - --json --reproducible",
                                            "info petersen --json",
                                            "run scatter --on ring:4 --record x.json",
                                            "explain scatter --on torus:3x3",
                                            "search broadcast --on petersen --reproducible",
                                            "show broadcast --on mesh:3x3 --as svg",
                                            "run",
                                            "--help"};
    const auto input_of = [](const std::string& line) {
        return line.starts_with("check") ? scatter : std::string_view("0 1\n1 2\n");
    };
    std::vector<Answer> alone;
    for (const std::string& line : lines) alone.push_back(answer_to(line, input_of(line)));
    std::atomic<int> different = 0;
    std::vector<std::jthread> asking;
    for (std::size_t t = 0; t < 8; ++t)
        asking.emplace_back([&, t] {
            for (std::size_t i = 0; i < 4 * lines.size(); ++i) {
                const std::size_t at = (i * (t + 1) + t) % lines.size();
                const Answer now = answer_to(lines[at], input_of(lines[at]));
                if (now.text != alone[at].text || now.status != alone[at].status || now.error != alone[at].error)
                    ++different;
            }
        });
    asking.clear();
    EXPECT_EQ(different, 0);
}

TEST(AClient, StopsARunAndASearch) {
    const std::atomic<bool> stop = true;
    Client client;
    client.stop = &stop;
    const std::vector<std::string> run = words("run broadcast --on line:2000");
    EXPECT_EQ(requests::answer(run, "", client).status, 4);
    const std::vector<std::string> search = words("search broadcast --on debruijn:2,5");
    EXPECT_EQ(requests::answer(search, "", client).status, 4);
}

TEST(AClient, LimitsTheTimeOfASearch) {
    Client client;
    client.search_seconds_max = 5;
    const std::vector<std::string> line = words("search broadcast --on petersen --for 6s");
    EXPECT_EQ(requests::answer(line, "", client).error, "--for '6s': a search takes at most 5 s here");
    const std::vector<std::string> without = words("search broadcast --on petersen");
    EXPECT_EQ(requests::answer(without, "", client).status, 0) << "the limit is the default then";
}

TEST(AWarning, StandsBesideTheAnswer) {
    const Answer answer = answer_to("run broadcast --on ring:9 --max-rounds 2");
    EXPECT_EQ(answer.status, 4);
    EXPECT_THAT(answer.warnings, testing::ElementsAre(HasSubstr("was stopped at the limit of 2 rounds")));
    EXPECT_THAT(answer.text, Not(IsEmpty()));
    EXPECT_THAT(answer.error, IsEmpty());
}

}  // namespace
}  // namespace kport::test
