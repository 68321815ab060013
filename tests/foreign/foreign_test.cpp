/// @file foreign_test.cpp   The interpreter against the table of verdicts, and the program against the interpreter, on random mutants.
#include "tests/foreign/lawful.hpp"
#include "tests/foreign/mutate.hpp"
#include "tests/foreign/verdict.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace foreign {
namespace {

const std::string samples_folder = KPORT_SOURCE_DIR "/tests/files/foreign/";

/// A row of verdicts.csv.
struct Sample {
    std::string file, operation, options, verdict, rule;
};

std::vector<Sample> samples() {
    std::ifstream in(samples_folder + "verdicts.csv");
    std::vector<Sample> rows;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::istringstream cells(line);
        Sample row;
        for (auto* cell : {&row.file, &row.operation, &row.options, &row.verdict, &row.rule})
            std::getline(cells, *cell, ',');
        rows.push_back(row);
    }
    return rows;
}

Question question(const std::string& operation, const std::string& options) {
    Question asked;
    if (!operation.empty()) asked.operation = operation;
    std::istringstream words(options);
    for (std::string option, value; words >> option >> value;) {
        if (option == "--root") asked.root = std::stoi(value);
        if (option == "--ports" && value != "all") asked.ports = std::stoi(value);
    }
    return asked;
}

/// What the program says: its status, and of a broken schedule the first fault that its verdict names.
std::string verdict_of_program(const std::string& path, const std::string& operation, const std::string& options) {
    const auto command = KPORT_PROGRAM " check '" + path + "' " + operation + " " + options + " --json 2>/dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
    std::string out;
    std::array<char, 4096> buffer{};
    for (std::size_t read = 0; (read = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        out.append(buffer.data(), read);
    const int status = WEXITSTATUS(pclose(pipe));
    if (status == 0) return "lawful";
    if (status == 2) return "refused";
    if (status == 4) return "not-judged";
    if (status != 1) return "status " + std::to_string(status);
    const auto report = nlohmann::json::parse(out, nullptr, false);
    if (report.is_discarded() || !report.contains("verdict")) return "broken, without a report";
    const auto text = report["verdict"].get<std::string>();
    std::string word, named;
    for (const char letter : text + ' ') {
        if (std::isalpha(static_cast<unsigned char>(letter)) != 0) {
            word += letter;
            continue;
        }
        for (int fault = 0; fault <= static_cast<int>(Fault::NOHO) && named.empty(); ++fault)
            if (word == name(static_cast<Fault>(fault))) named = word;
        word.clear();
    }
    return "broken " + named;
}

std::string named_for_gtest(std::string text) {
    for (auto& letter : text)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
    return text;
}

class Row : public testing::TestWithParam<Sample> {};

TEST_P(Row, IsJudgedAsTheTableSays) {
    const auto& row = GetParam();
    const auto wanted = row.verdict == "unjudged" ? "not-judged"
                        : row.verdict == "broken" ? "broken " + row.rule
                                                  : row.verdict;
    EXPECT_EQ(judge(samples_folder + row.file, question(row.operation, row.options)).text(), wanted);
}

TEST_P(Row, IsJudgedByTheProgramAsTheTableSays) {
    const auto& row = GetParam();
    const auto wanted = row.verdict == "unjudged" ? "not-judged"
                        : row.verdict == "broken" ? "broken " + row.rule
                                                  : row.verdict;
    EXPECT_EQ(verdict_of_program(samples_folder + row.file, row.operation, row.options), wanted);
}

INSTANTIATE_TEST_SUITE_P(Verdicts, Row, testing::ValuesIn(samples()), [](const auto& row) {
    return std::to_string(row.index) + "_" + named_for_gtest(row.param.file + " " + row.param.operation);
});

std::string written(const std::string& file, const std::string& text) {
    const auto path = std::filesystem::path(testing::TempDir()) / ("foreign-" + std::to_string(getpid()) + "-" + file);
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

TEST(Lawful, SchedulesFromTheGeneratorAreLawful) {
    for (const auto& each : lawful_schedules()) {
        const auto verdict = judge(written(each.file, each.text), question(each.operation, ""));
        EXPECT_EQ(verdict.text(), "lawful")
            << each.file << (verdict.findings.empty() ? verdict.refusal : verdict.findings[0].text);
    }
}

TEST(Lawful, PlansThatTheProgramWritesAre) {
    for (const std::string run :
         {"allreduce --on hypercube:3 --packets 2", "allreduce --on complete:4 --algorithm direct --ports all",
          "allgather --on ring:5 --ports all", "reduce-scatter --on mesh:2x3", "alltoall --on torus:3x3"}) {
        const auto recorded = written("recorded.json", "");
        const auto plan = written("plan.json", "");
        const auto command = KPORT_PROGRAM " run " + run + " --record '" + recorded +
                             "' >/dev/null && " KPORT_PROGRAM " convert '" + recorded + "' --to mscclpp >'" + plan +
                             "'";
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
        const auto verdict = judge(plan, question("", ""));
        EXPECT_EQ(verdict.text(), "lawful") << run << (verdict.findings.empty() ? "" : verdict.findings[0].text);
    }
}

TEST(Mutate, GivesTheSameForTheSameSeed) {
    for (const auto& each : lawful_schedules()) {
        EXPECT_EQ(mutate(each.text, 7), mutate(each.text, 7));
        EXPECT_NE(mutate(each.text, 7), mutate(each.text, 8)) << each.file;
    }
}

/// A lawful schedule with what is asked of it.
struct Original {
    std::string file, text, operation, options;
};

std::vector<Original> originals(const std::string& format) {
    const auto of_format = [&](const std::string& file) {
        if (format == "msccl") return file.ends_with(".xml");
        if (format == "goal") return file.ends_with(".goal");
        if (format == "simgrid") return file.ends_with(".txt") && file.find("index") == std::string::npos;
        if (format == "sccl") return file.find("sccl") != std::string::npos || file.starts_with("taccl");
        return file.find(format) != std::string::npos;
    };
    std::vector<Original> all;
    const auto add = [&](const Original& each) {
        const bool plan = each.file.find("mscclpp") != std::string::npos;
        if (of_format(each.file) && (format == "mscclpp" || !plan) &&
            (format != "sccl" || !each.file.ends_with(".xml")))
            all.push_back(each);
    };
    for (const auto& row : samples())
        if (row.verdict == "lawful" && !std::filesystem::is_directory(samples_folder + row.file))
            add({row.file, contents_of(samples_folder + row.file), row.operation, row.options});
    for (const auto& each : lawful_schedules()) add({each.file, each.text, each.operation, ""});
    return all;
}

int mutants() {
    const auto* told = std::getenv("KPORT_FOREIGN_MUTANTS");
    return told == nullptr ? 100 : std::atoi(told);
}

class Mutants : public testing::TestWithParam<const char*> {};

TEST_P(Mutants, AreJudgedAsTheInterpreterJudgesThem) {
    const std::string format = GetParam();
    const auto all = originals(format);
    ASSERT_FALSE(all.empty());
    int differing = 0;
    for (int seed = 0; seed < mutants() && differing < 10; ++seed) {
        const auto& original = all[static_cast<std::size_t>(seed) % all.size()];
        const auto path = written(original.file, mutate(original.text, static_cast<std::uint64_t>(seed)));
        const auto mine = judge(path, question(original.operation, original.options));
        const auto theirs = verdict_of_program(path, original.operation, original.options);
        if (mine.text() == theirs) continue;
        ++differing;
        const auto kept = written(std::to_string(seed) + "-" + original.file, contents_of(path));
        ADD_FAILURE() << kept << " " << original.operation << " " << original.options
                      << "\n  interpreter: " << mine.text() << " ("
                      << (mine.findings.empty() ? mine.refusal : mine.findings[0].text) << ")\n  program: " << theirs;
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, Mutants, testing::Values("msccl", "mscclpp", "sccl", "teccl", "goal", "simgrid"),
                         [](const auto& format) { return std::string(format.param); });

}  // namespace
}  // namespace foreign
