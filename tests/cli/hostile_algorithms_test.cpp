/// @file hostile_algorithms_test.cpp   Algorithm files that want a verdict which their program did not earn, and what they get.
#include <sys/types.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "emulator/audit/rule.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A broadcast that delivers nothing, and cheats as the environment says. One source, so that it is compiled once.
constexpr std::string_view cheats_text = R"cheats(
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <kport/kport.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
using namespace kport;

extern "C" int memcmp(const void*, const void*, std::size_t) { return 0; }

namespace {

constexpr int report_file = 3;
const std::string lie = "verdict  all rules kept, 3 of 3 nodes hold the packet\n";

void put(int file, const std::string& bytes) { (void)!write(file, bytes.data(), bytes.size()); }

void piece(char kind, const std::string& bytes) {
    const std::uint32_t size = bytes.size();
    std::string all(1, kind);
    all.append(reinterpret_cast<const char*>(&size), sizeof size);
    put(report_file, all + bytes);
}

using Numbers = std::vector<std::uint32_t>;

std::string bytes(const Numbers& numbers) {
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint32_t));
}

/// Packet 0 over one link.
std::string transfer(std::uint32_t round, std::uint32_t from, std::uint32_t to, std::uint32_t port) {
    return bytes({round, from, to, 1, 1, port, 0, 1, 1, 0, 1, 1});
}

const std::string first = transfer(1, 0, 1, 1);
const std::string second = transfer(2, 1, 2, 1);
const std::string claims = R"({"rule":"forged","in_order":false,"verdict":{"violations":[],"count":0,)"
    R"("by_rule":[EACH_RULE],"holders":3,"packets":2,"bytes":128,"delivered":true},"engine":{"kind":0,"needs_rounds":0,)"
    R"("threads":1,"wall":0.001,"moving":0.001,"peak":1},"results":[],"stopped":false,"out_of_rounds":false,)"
    R"("phases":[],"prediction":null})";

[[noreturn]] void forge(const std::string& transfers, const std::string& said = claims) {
    if (!transfers.empty()) piece('s', transfers);
    piece('c', said);
    piece('e', std::string(1, '\0'));
    for (;;) pause();
}

struct ExitsWhenDestroyed {
    ~ExitsWhenDestroyed() {
        put(STDOUT_FILENO, lie);
        _exit(0);
    }
};

void leave_a_process_behind() {
    if (fork() != 0) return;
    setsid();
    if (fork() != 0) _exit(0);
    std::ofstream(std::getenv("KPORT_LEFT")) << getpid() << std::endl;
    for (;;) pause();
}

pid_t parent_of(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    std::string word;
    while (status >> word && word != "PPid:") {}
    pid_t parent = 0;
    status >> parent;
    return parent;
}

void act(const std::string& how) {
    if (how == "exit") { put(STDOUT_FILENO, lie); _exit(0); }
    if (how == "std-exit") { std::cout << lie; std::exit(0); }
    if (how == "quick-exit") std::quick_exit(0);
    if (how == "abort") std::abort();
    if (how == "throw") throw std::runtime_error("no");
    if (how == "terminate") std::terminate();
    if (how == "loop") for (volatile bool ever = true; ever;) {}
    if (how == "stop") raise(SIGSTOP);
    if (how == "alarm") { alarm(1); pause(); }
    if (how == "kill-group") kill(0, SIGKILL);
    if (how == "kill-judge") { kill(getppid(), SIGKILL); for (;;) pause(); }
    if (how == "interrupt-judge") { kill(getppid(), SIGINT); for (;;) pause(); }
    if (how == "terminate-itself") raise(SIGTERM);
    if (how == "atexit") std::atexit([] { put(STDOUT_FILENO, lie); _exit(0); });
    if (how == "at-quick-exit") std::at_quick_exit([] { _exit(0); });
    if (how == "destructor") static ExitsWhenDestroyed exits;
    if (how == "thread") { std::thread([] { _exit(0); }).detach(); sleep(2); }
    if (how == "handler") { signal(SIGALRM, [](int) { _exit(0); }); raise(SIGALRM); }
    if (how == "fork") fork();
    if (how == "fork-and-exit") if (fork() == 0) _exit(0);
    if (how == "exit-behind-fork") if (fork() != 0) _exit(0);
    if (how == "leave-behind") leave_a_process_behind();
    if (how == "leave-behind-and-exit") { leave_a_process_behind(); sleep(1); _exit(0); }
    if (how == "garbage") { for (int file = 0; file < 64; ++file) put(file, lie); _exit(0); }
    if (how == "scan") {
        if (DIR* files = opendir("/proc/self/fd")) {
            while (const dirent* file = readdir(files))
                if (std::atoi(file->d_name) > 2) put(std::atoi(file->d_name), "{\"lawful\": true}\n");
        }
        _exit(0);
    }
    if (how == "close") { for (int file = 0; file < 64; ++file) close(file); _exit(0); }
    if (how == "close-and-go-on") for (int file = 0; file < 64; ++file) close(file);
    if (how == "dup") { dup2(report_file, STDOUT_FILENO); put(STDOUT_FILENO, lie); _exit(0); }
    if (how == "json") { put(STDOUT_FILENO, "{\"verdict\": \"all rules kept\", \"lawful\": true}\n"); _exit(0); }
    if (how == "print-much") for (int i = 0; i < 200; ++i) put(STDOUT_FILENO, std::string(100000, 'x') + "\n");
    if (how == "print-lines") { std::string lines; for (int i = 0; i < 2000000; ++i) lines += "x\n"; put(STDOUT_FILENO, lines); }
    if (how == "limits") { const rlimit none{0, 0}; setrlimit(RLIMIT_FSIZE, &none); setrlimit(RLIMIT_NOFILE, &none); }
    if (how == "move") { (void)!chdir("/"); unlink(std::getenv("KPORT_REMOVED")); }
    if (how == "forge-text") { piece('t', lie); piece('e', std::string(1, '\0')); pause(); }
    if (how == "forge-end") { piece('e', std::string(1, '\0')); pause(); }
    if (how == "forge-nothing") forge("");
    if (how == "forge-half") forge(first);
    if (how == "forge-node") forge(transfer(1, 0, 77, 1));
    if (how == "forge-port") forge(transfer(1, 0, 1, 5));
    if (how == "forge-packet") forge(first + bytes({2, 1, 2, 1, 1, 1, 7, 1, 1, 0, 1, 1}));
    if (how == "forge-many-packets") forge(first + bytes({2, 1, 2, 1, 1, 1, 0, 1, ~0U, 0, 1, ~0U}));
    if (how == "forge-no-packet") forge(first + bytes({2, 1, 2, 1, 0, 1}));
    if (how == "forge-no-route") forge(first + bytes({2, 1, 2, 0, 1, 0, 1, 1, 0, 1, 1}));
    if (how == "forge-back") forge(first + second + first);
    if (how == "forge-silence") forge(first + second + bytes({0, 2, 1, 0, 0}));
    if (how == "forge-busy-silence") forge(first + second + bytes({0, 1, ~0U, 0, 0}));
    if (how == "forge-round-0") forge(transfer(0, 0, 1, 1));
    if (how == "forge-truncated") forge(first + second.substr(0, second.size() - 1));
    if (how == "forge-head") forge(first + second.substr(0, 3));
    if (how == "forge-count") forge(first + bytes({2, 1, 2, 1, 2, 1, 0, 1, 1, 0, 1, 1}));
    if (how == "forge-counts") forge(first + bytes({2, 1, 2, ~0U, ~0U, 1, 0, 1, 1, 0, 1, 1}));
    if (how == "forge-text-inside") { piece('s', first); piece('t', lie); forge(second); }
    if (how == "forge-behind-claims") { piece('s', first); piece('c', claims); forge(second); }
    if (how == "forge-claims") forge(first + second, "{\"verdict\": [[[");
    if (how == "forge-size") { put(report_file, std::string("s\xFF\xFF\xFF\xFF", 5)); pause(); }
    if (how == "forge-much") for (;;) piece('s', first);
    if (how == "forge-endless-route") {
        piece('s', bytes({1, 0, 1, ~0U, ~0U}));
        for (;;) piece('s', std::string(60000, '\1'));
    }
    if (how == "forge-lawful") forge(first + second);
    if (how == "forge-thread") {
        std::string said = claims;
        const std::string none = "\"phases\":[]";
        forge(first + second, said.replace(said.find(none), none.size(), "\"phases\":[[0,4294967295,1,1,0.0,1.0]]"));
    }
    if (how == "forge-lawful-in-bits") {
        for (const char byte : first + second) piece('s', std::string(1, byte));
        forge("");
    }
    if (how == "kill-folder") { kill(parent_of(getppid()), SIGKILL); for (;;) pause(); }
    if (how == "terminate-folder") { kill(parent_of(getppid()), SIGTERM); for (;;) pause(); }
}

/// "init:exit", "node:exit", "thread:exit".
void cheat(const std::string& where) {
    const char* const set = std::getenv("KPORT_CHEAT");
    const std::string what = set == nullptr ? "" : set;
    if (what.rfind(where + ":", 0) == 0) act(what.substr(where.size() + 1));
    if (where == "init" && what.rfind("thread:", 0) == 0) std::thread([what] { act(what.substr(7)); }).detach();
    if (where == "node" && what.rfind("thread:", 0) == 0) sleep(2);
}

[[maybe_unused]] const bool cheated = (cheat("init"), true);

}  // namespace

Program nothing(Node&, NodeId) {
    cheat("node");
    co_return;
}

KPORT_ALGORITHM(.operation = Operation::broadcast, .program = nothing, .rule = "delivers nothing");
)cheats";

/// Its false claims count the breaches of as many rules as there are.
std::string cheats() {
    constexpr std::string_view place = "EACH_RULE";
    std::string zeros = "0";
    for (std::size_t rule = 1; rule < rules; ++rule) zeros += ",0";
    std::string text(cheats_text);
    return text.replace(text.find(place), place.size(), zeros);
}

struct Cheat {
    const char* name;
    int status;
    const char* told;  ///< in standard error
};

/// What each must come to: never 0, and never a report of its own.
constexpr Cheat all_cheats[] = {
    {"none", 1, ""},
    {"init:exit", 4, "ended the whole program"},
    {"init:std-exit", 4, "ended the whole program"},
    {"init:quick-exit", 4, "ended the whole program"},
    {"init:abort", 4, "crashed: Aborted"},
    {"init:throw", 4, "kport: "},
    {"init:loop", 4, "gave no sign of life for 10 s"},
    {"init:stop", 4, "was stopped by a signal"},
    {"init:alarm", 4, "crashed: Alarm clock"},
    {"init:atexit", 1, ""},
    {"init:at-quick-exit", 1, ""},
    {"init:destructor", 1, ""},
    {"init:thread", 4, "ended the whole program"},
    {"init:handler", 4, "ended the whole program"},
    {"init:exit-behind-fork", 4, "ended the whole program"},
    {"init:garbage", 4, "report that cannot be read"},
    {"init:forge-nothing", 1, ""},
    {"thread:exit", 4, "ended the whole program"},
    {"thread:stop", 4, "was stopped by a signal"},
    {"thread:forge-half", 1, ""},
    {"node:exit", 4, "ended the whole program"},
    {"node:std-exit", 4, "ended the whole program"},
    {"node:quick-exit", 4, "ended the whole program"},
    {"node:abort", 4, "crashed: Aborted"},
    {"node:throw", 4, "a node program failed"},
    {"node:terminate", 4, "stopped by an unexpected error"},
    {"node:atexit", 1, ""},
    {"node:destructor", 1, ""},
    {"node:handler", 4, "ended the whole program"},
    {"node:stop", 4, "was stopped by a signal"},
    {"node:kill-group", 4, "was killed"},
    {"node:kill-judge", -SIGKILL, ""},
    {"node:interrupt-judge", 4, ""},
    {"node:terminate-itself", 4, ""},
    {"node:fork-and-exit", 1, ""},
    {"node:exit-behind-fork", 4, "ended the whole program"},
    {"node:scan", 4, "report that cannot be read"},
    {"node:close", 4, "ended the whole program"},
    {"node:close-and-go-on", 4, "ended the whole program"},
    {"node:dup", 4, "report that cannot be read"},
    {"node:json", 4, "ended the whole program"},
    {"node:print-much", 1, "more than 1 MiB"},
    {"node:limits", 1, ""},
    {"node:forge-text", 4, "its report is not a schedule"},
    {"node:forge-end", 4, "its run cannot be read"},
    {"node:forge-nothing", 1, ""},
    {"node:forge-half", 1, ""},
    {"node:forge-node", 4, "transfers[0] (round 1, from 0 to 77): node 77"},
    {"node:forge-port", 4, "transfers[0] (round 1, from 0 to 1): port 5"},
    {"node:forge-packet", 4, "transfers[1].packets: it names packet 7"},
    {"node:forge-many-packets", 4, "transfers[1]"},
    {"node:forge-no-packet", 4, "transfers[1] (round 2, from 1 to 2): no packet"},
    {"node:forge-no-route", 4, "transfers[1] (round 2, from 1 to 2): an empty route"},
    {"node:forge-back", 4, "rounds do not go back"},
    {"node:forge-silence", 4, "ended without a complete schedule"},
    {"node:forge-busy-silence", 4, "is named as a silent one"},
    {"node:forge-round-0", 4, "rounds count from 1"},
    {"node:forge-truncated", 4, "transfers[1] lacks a part"},
    {"node:forge-head", 4, "transfers[1] lacks a part"},
    {"node:forge-count", 4, "transfers[1] lacks a part"},
    {"node:forge-counts", 4, "transfers[1] lacks a part"},
    {"node:forge-text-inside", 4, "its report is not a schedule"},
    {"node:forge-behind-claims", 4, "its report is not a schedule"},
    {"node:forge-claims", 4, "its run cannot be read"},
    {"node:forge-size", 4, "report that cannot be read"},
    {"node:forge-thread", 4, "its run cannot be read"},
    {"node:print-lines", 1, "more than 1 MiB"},
};

class HostileAlgorithm : public testing::Test {
  protected:
    HostileAlgorithm() {
        place_.environment = {
            "CXXFLAGS=-O0",
            "XDG_CACHE_HOME=" + (std::filesystem::path(KPORT_PROGRAM).parent_path() / "tests/cli/compiled").string()};
    }

    [[nodiscard]] Outcome cheated(const std::string& name, const std::string& arguments = "") {
        return in_environment("KPORT_CHEAT=" + name,
                              "run broadcast --on line:3 --threads 1 --algorithm " + source_ + arguments);
    }
    [[nodiscard]] Outcome in_environment(const std::string& entry, const std::string& command) {
        Place place = place_;
        place.environment.push_back(entry);
        return kport(command, place);
    }

    Files files_;
    std::string source_ = files_.add("cheats.cpp", cheats());
    Place place_;
};

class HostileAlgorithms : public HostileAlgorithm, public testing::WithParamInterface<Cheat> {};

TEST_P(HostileAlgorithms, NeverDecideTheVerdict) {
    const Outcome outcome = cheated(GetParam().name);
    EXPECT_EQ(outcome.status, GetParam().status) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(GetParam().told));
    EXPECT_THAT(outcome.out, Not(HasSubstr("all rules kept")));
    EXPECT_EQ(outcome.out.empty(), GetParam().status != 1) << outcome.out;
    EXPECT_LT(outcome.err.size(), std::size_t{3} << 20);
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, HostileAlgorithms, testing::ValuesIn(all_cheats), [](const auto& at) {
    std::string name = at.param.name;
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
});

TEST_F(HostileAlgorithm, ThatForksGivesOneReportAndNoneOfItsCopies) {
    for (const char* where : {"init:fork", "node:fork", "thread:fork"}) {
        const Outcome outcome = cheated(where, " --json");
        EXPECT_THAT(outcome.status, testing::AnyOf(1, 4)) << where << outcome.out << outcome.err;
        if (outcome.status == 1) {
            EXPECT_EQ(outcome.json()["lawful"], false) << where;
        }
    }
}

TEST_F(HostileAlgorithm, ThatForgesASchedulePassesOnlyByALawfulOne) {
    for (const char* how : {"node:forge-lawful", "node:forge-lawful-in-bits"}) {
        const Outcome lawful = cheated(how, " --json");
        EXPECT_EQ(lawful.status, 0) << how << lawful.err;
        EXPECT_EQ(lawful.json()["measured"]["rounds"], 2) << how;
        EXPECT_EQ(lawful.json()["measured"]["work"], 2) << how;
    }
}

TEST_F(HostileAlgorithm, LeavesNoProcessBehind) {
    for (const char* how : {"node:leave-behind", "init:leave-behind-and-exit"}) {
        const std::string left = files_.add("left", "");
        place_.environment.push_back("KPORT_LEFT=" + left);
        EXPECT_NE(cheated(how).status, 0);
        pid_t pid = 0;
        std::ifstream(left) >> pid;
        EXPECT_TRUE(pid == 0 || ::kill(pid, 0) != 0) << how << " left process " << pid;
    }
}

TEST_F(HostileAlgorithm, WhoseScheduleNeverEndsMeetsTheLimitsOfMemoryAndTime) {
    place_.address_space = std::uint64_t{700} << 20;
    for (const char* how : {"node:forge-much", "node:forge-endless-route"}) {
        const Outcome outcome = cheated(how);
        EXPECT_THAT(outcome.status, testing::AnyOf(3, 4)) << "4 where its time is over before: " << how << outcome.err;
        EXPECT_EQ(outcome.out, "") << how;
    }
}

TEST_F(HostileAlgorithm, ThatMovesAndRemovesFilesIsJudgedAllTheSame) {
    const std::string graph = files_.add("net.edges", "0 1\n1 2\n");
    place_.environment.push_back("KPORT_REMOVED=" + graph);
    const Outcome outcome =
        in_environment("KPORT_CHEAT=node:move", "run broadcast --on " + graph + " --algorithm " + source_ +
                                                    " --record " + files_.folder() + "/r.json");
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("1 of 3 nodes holds the packet"));
    EXPECT_TRUE(std::filesystem::exists(files_.folder() + "/r.json"));
}

/// As a shell does for `exec kport ... > >(cat)`: the program is executed in a process that has children already.
TEST_F(HostileAlgorithm, EndsNoProcessThatTheJudgeDidNotStart) {
    const std::string alive = files_.add("alive", "");
    const std::string script = "(sleep 30 & echo $! > " + alive +
                               "; wait) & sleep 0.2; exec " KPORT_PROGRAM
                               " run broadcast --on line:3 --threads 1 --algorithm " +
                               source_ + " > /dev/null 2>&1";
    const std::string command =
        "KPORT_CHEAT=node:exit " + place_.environment[0] + " " + place_.environment[1] + " bash -c '" + script + "'";
    EXPECT_NE(std::system(command.c_str()), 0);
    pid_t pid = 0;
    std::ifstream(alive) >> pid;
    ASSERT_GT(pid, 0);
    EXPECT_EQ(::kill(pid, SIGTERM), 0) << "the child of before was killed";
}

TEST_F(HostileAlgorithm, IsJudgedWithoutStandardInputAndErrorAndWhereChildrenAreReapedByTheSystem) {
    const std::string environment = place_.environment[0] + " " + place_.environment[1];
    for (const std::string redirections : {"<&- 2>&-", "2>&-", "<&-"}) {
        const std::string command = environment +
                                    " bash -c 'trap \"\" CHLD; exec " KPORT_PROGRAM
                                    " run broadcast --on line:3 --threads 1 --algorithm " +
                                    source_ + " > " + files_.folder() + "/out " + redirections + "'";
        const int status = std::system(command.c_str());
        EXPECT_EQ(WEXITSTATUS(status), 1) << command;
        std::ifstream out(files_.folder() + "/out");
        EXPECT_THAT(std::string(std::istreambuf_iterator<char>(out), {}), HasSubstr("1 of 3 nodes holds the packet"));
    }
}

TEST_F(HostileAlgorithm, PrintsToStandardErrorOnlyAndUnderItsName) {
    const Outcome outcome = cheated("node:json");
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(source_ + ": {\"verdict\": \"all rules kept\", \"lawful\": true}\n"));
}

class HostileHandIn : public HostileAlgorithm {
  protected:
    HostileHandIn() {
        std::filesystem::create_directory(folder_);
        (void)files_.add("handins/ann.txt", "on line:3\nbroadcast from 0\nround 1: 0 -> 1\nround 2: 1 -> 2\n");
        (void)files_.add("handins/bob.cpp", cheats());
        std::filesystem::create_symlink("/nowhere/at/all.cpp", folder_ + "/cyd.cpp");
        (void)files_.add("handins/dan.txt", "on line:3\nbroadcast from 0\nround 1: 0 -> 1\n");
    }

    [[nodiscard]] Outcome judged(const std::string& how, const std::string& form) {
        return in_environment("KPORT_CHEAT=" + how, "check " + folder_ + " broadcast --on line:3" + form);
    }

    std::string folder_ = files_.folder() + "/handins";
};

TEST_F(HostileHandIn, CostsNoOtherResult) {
    for (const char* how : {"node:exit", "node:kill-judge", "node:kill-group", "node:json"}) {
        const Outcome outcome = judged(how, " --csv");
        EXPECT_EQ(outcome.status, 1) << "dan.txt is broken: " << how << outcome.err;
        EXPECT_THAT(outcome.out, HasSubstr("ann.txt,broadcast,2,2,2,2.128,0,")) << how;
        EXPECT_THAT(outcome.out, HasSubstr("bob.cpp,-,-,-,-,-,4,")) << how;
        EXPECT_THAT(outcome.out, HasSubstr("cyd.cpp,-,-,-,-,-,2,")) << how;
        EXPECT_THAT(outcome.out, HasSubstr("dan.txt,broadcast,1,2,1,")) << how;
    }
}

TEST_F(HostileHandIn, ThatKillsTheProcessOfTheFolderLeavesTheRowsBefore) {
    const Outcome outcome = judged("node:kill-folder", " --csv");
    EXPECT_EQ(outcome.status, -SIGKILL);
    EXPECT_THAT(outcome.out, testing::StartsWith("file,operation,"));
    EXPECT_THAT(outcome.out, HasSubstr("\nann.txt,broadcast,2,2,2,2.128,0,"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("dan.txt")));
}

TEST_F(HostileHandIn, ThatInterruptsAFolderLeavesTheResultsSoFar) {
    for (const char* form : {"", " --csv", " --json"}) {
        const Outcome outcome = judged("node:terminate-folder", form);
        EXPECT_EQ(outcome.status, 4) << form << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("kport: stopped after 2 of 4 files\n")) << form;
        for (const char* file : {"ann.txt", "bob.cpp"}) EXPECT_THAT(outcome.out, HasSubstr(file)) << form;
        EXPECT_THAT(outcome.out, Not(HasSubstr("dan.txt"))) << form;
    }
}

TEST_F(HostileAlgorithm, OfAComparisonIsJudgedOrIsARowThatSaysWhyNotAndCostsNoOtherRow) {
    const auto compared = [&](const std::string& how, const std::string& machines) {
        return in_environment("KPORT_CHEAT=" + how, "compare broadcast --threads 1" + machines + " --with " + source_);
    };
    struct {
        const char* how;
        int status;
        const char* told;
    } const cases[] = {{"none", 1, "NOT delivered"},
                       {"init:exit", 4, "ended the whole program"},
                       {"init:garbage", 4, "report that cannot be read"},
                       {"node:exit", 4, "ended the whole program"},
                       {"node:abort", 4, "crashed: Aborted"},
                       {"node:throw", 4, "a node program failed"},
                       {"node:forge-text", 4, "its report is not a schedule"},
                       {"node:forge-half", 1, "NOT delivered"},
                       {"node:forge-port", 4, "port 5"},
                       {"node:forge-counts", 4, "lacks a part"},
                       {"node:forge-lawful", 0, "all rules kept"}};
    for (const auto& [how, status, told] : cases)
        for (const char* machines : {" --on line:3", " --on line:3 --ports 1,2"}) {
            const Outcome outcome = compared(how, machines);
            EXPECT_EQ(outcome.status, status) << how << machines << outcome.err;
            EXPECT_THAT(outcome.out, HasSubstr("dost")) << how << machines;
            const std::size_t row = outcome.out.find(source_);
            ASSERT_NE(row, std::string::npos) << how << machines << outcome.out;
            EXPECT_THAT(outcome.out.substr(row), HasSubstr(told)) << how << machines;
        }
}

TEST_F(HostileAlgorithm, ThatInterruptsAComparisonEndsItWithStatus4) {
    for (const char* machines : {"--on line:3", "--sweep line:3 line:4"}) {
        const Outcome outcome = in_environment("KPORT_CHEAT=node:interrupt-judge",
                                               std::string("compare broadcast ") + machines + " --with " + source_);
        EXPECT_EQ(outcome.status, 4) << machines << outcome.err;
        EXPECT_THAT(outcome.out, Not(HasSubstr("all rules kept"))) << machines;
    }
}

TEST_F(HostileAlgorithm, OfAComparisonInJsonIsAmongTheRunsOrTheFailures) {
    const std::string command = "compare broadcast --on line:3 --threads 1 --json --with " + source_;
    const nlohmann::json half = in_environment("KPORT_CHEAT=node:forge-half", command).json();
    EXPECT_EQ(half["runs"].back()["algorithm"], source_);
    EXPECT_EQ(half["runs"].back()["lawful"], false);
    EXPECT_EQ(half["runs"].back()["measured"]["rounds"], 1);
    const nlohmann::json gone = in_environment("KPORT_CHEAT=node:exit", command).json();
    EXPECT_EQ(gone["failed"][0]["algorithm"], source_);
    EXPECT_GT(gone["runs"].size(), 2U);
}

TEST_F(HostileAlgorithm, OfOtherCommandsEndsNoneWithStatus0) {
    for (const std::string command :
         {"compare broadcast --on line:3 --message 64 --with ", "explain broadcast --on line:3 --algorithm ",
          "show broadcast --on line:3 --algorithm ", "stress --operation broadcast --on line:3 --cases 2 --algorithm ",
          "bench broadcast --on line:3 --repetitions 1 --algorithm "})
        for (const char* how : {"init:exit", "init:garbage"}) {
            const Outcome outcome = in_environment("KPORT_CHEAT=" + std::string(how), command + source_);
            EXPECT_EQ(outcome.status, 4) << command << how << outcome.err;
            EXPECT_EQ(outcome.out, "") << command << how;
        }
}

}  // namespace
}  // namespace kport::test
