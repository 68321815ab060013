/// @file counted_test.cpp   The table of what each algorithm costs on a few small machines, in the umpire's count.
///
/// KPORT_DOCS=update writes tests/oracle/counted.csv; `./dev docs` does it. The messages are those that a run recorded; what
/// they cost and which rules they break the umpire finds, which shares no code with the auditor. runs_test.cpp compares every
/// engine's counts, and the textbook's, with the rows.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/stress/second_opinion.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/family.hpp"
#include "tests/oracle/asked.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using oracle::Asked;
using oracle::Row;
using Cells = std::map<std::string, std::string>;

constexpr std::size_t rows_max = 6;  // of an algorithm

const std::vector<std::string>& columns() {
    static const std::vector<std::string> all = {
        "operation", "algorithm", "options",   "topology", "nodes", "source",   "packets",
        "ports",     "switching", "combining", "rounds",   "work",  "path_sum", "volume_packets",
        "latency_A", "latency_B", "delivered", "nodup",    "noho"};
    return all;
}

/// Small members of families of every kind; an algorithm that needs another is counted on those with the fewest nodes.
std::vector<std::string> usual_topologies() {
    return {"hypercube:3", "mesh:3x4",   "complete:7",   "line:8",      "torus:3x5",   "ring:7",  "cbt:3",
            "hypercube:4", "mesh:4x4",   "ring:12",      "petersen",    "complete:12", "line:11", "torus:4x4",
            "star:6",      "mesh:2x3x4", "knoedel:3,10", "knoedel:3,8", "knoedel:4,24"};
}

/// Whether the machine has the permutation.
bool is_there(const Asked& asked) {
    try {
        require_valid(asked.collective.permutation, *asked.machine.topology);
    } catch (const RequestError&) {
        return false;
    }
    return true;
}

/// The ways to ask for an algorithm on a topology, another one first on each.
std::vector<Cells> ways_to_ask(const Algorithm& algorithm, const std::string& topology, std::size_t turn) {
    const NodeId nodes = make_topology(topology)->nodes();
    const bool has_root = Collective{algorithm.operation}.rooted() || algorithm.through_root;
    std::vector<Cells> all;
    // One that takes the best of several may take another at the other prices.
    const bool is_itself =
        algorithm.forward == algorithm.operation || find_algorithm(algorithm.forward, algorithm.name);
    const bool knows_many = algorithm.with_many == WithMany::own && is_itself;
    std::vector<std::string> choices = {""};
    if (algorithm.keeps) choices = {"", "--keep greater", "--keep smaller"};
    if (algorithm.operation == Operation::permutation)
        choices = {"", "--permutation shift:3", "--permutation transpose", "--permutation bit-reversal"};
    if (has_word(algorithm.takes, "groups"))  // halves
        choices = {fmt::format("--groups 0-{}/{}-{} --intra farthest-first --inter {}", nodes / 2 - 1, nodes / 2,
                               nodes - 1,
                               has_root && algorithm.operation.rooted() ? "farthest-first" : "tree-exchange")};
    for (const char* packets : {"1", "16"})
        for (const std::string& options : choices)
            for (const char* ports : {"1", "2", "all"})
                for (const char* switching : {"SF", "WH"})
                    for (const char* combining : {"yes", "no"}) {
                        if (std::string_view(packets) != "1" && !knows_many) continue;
                        all.push_back({{"operation", std::string(name(algorithm.operation))},
                                       {"algorithm", std::string(algorithm.name)},
                                       {"options", options},
                                       {"topology", topology},
                                       {"nodes", fmt::to_string(nodes)},
                                       {"source", has_root ? fmt::to_string((5 * turn + all.size()) % nodes) : ""},
                                       {"packets", packets},
                                       {"ports", ports},
                                       {"switching", switching},
                                       {"combining", combining}});
                    }
    std::ranges::rotate(all, all.begin() + static_cast<std::ptrdiff_t>(5 * turn % all.size()));
    std::erase_if(all, [&](const Cells& cells) {
        const Asked asked(Row("asked", cells), oracle::cost_models(algorithm.operation).front());
        if (asked.collective.operation == Operation::permutation && !is_there(asked)) return true;
        return misfit_of(algorithm, asked.machine, asked.collective, asked.options).has_value();
    });
    return all;
}

/// Rows for the algorithm, without counts: of each topology one, then a second of each, ...
std::vector<Cells> asked_of(const Algorithm& algorithm, const std::vector<std::string>& topologies) {
    std::vector<std::vector<Cells>> ways;
    for (const std::string& topology : topologies) ways.push_back(ways_to_ask(algorithm, topology, ways.size()));
    std::vector<Cells> rows;
    for (std::size_t nth = 0; nth < 3; ++nth)
        for (const std::vector<Cells>& of_topology : ways)
            if (nth < of_topology.size() && rows.size() < rows_max) rows.push_back(of_topology[nth]);
    return rows;
}

std::vector<Cells> asked_of(const Algorithm& algorithm) {
    std::vector<Cells> rows = asked_of(algorithm, usual_topologies());
    for (NodeId nodes = 2; rows.empty() && nodes <= 32; ++nodes) rows = asked_of(algorithm, topologies_of(nodes));
    return rows;
}

/// The umpire's opinion of the messages of a run.
umpire::Opinion opinion_on(const Algorithm& algorithm, const Asked& asked) {
    Schedule schedule;
    RunOptions options;
    options.threads = 1;
    options.recorded_schedule = &schedule;
    (void)asked.run(algorithm, options);
    return umpire::judge(
        game_of(schedule, asked.machine, judged_collective(algorithm, asked.collective, asked.options)));
}

const char* yes_if(bool holds) { return holds ? "yes" : "no"; }

void count(const Algorithm& algorithm, Cells& cells) {
    for (const oracle::CostModel& model : oracle::cost_models(algorithm.operation)) {
        const Asked asked(Row("asked", cells), model);
        const umpire::Opinion opinion = opinion_on(algorithm, asked);
        std::set<umpire::Rule> broken;
        for (const umpire::Finding& finding : opinion.findings) broken.insert(finding.rule);
        if (algorithm.breaks == nullptr || !algorithm.breaks(asked.machine)) {
            EXPECT_TRUE(broken.empty()) << algorithm.name << " on " << cells["topology"];
        }
        cells["rounds"] = fmt::to_string(opinion.rounds);
        cells["work"] = fmt::to_string(opinion.work);
        cells["path_sum"] = fmt::to_string(opinion.path_sum);
        cells["volume_packets"] = fmt::to_string(opinion.volume / model.packet_bytes);
        cells[model.column] = fmt::format("{:.0f}", opinion.latency);
        cells["delivered"] = yes_if(opinion.undelivered.empty());
        cells["nodup"] = yes_if(!broken.contains(umpire::Rule::nodup));
        cells["noho"] = yes_if(!broken.contains(umpire::Rule::noho));
    }
}

std::string line_of(Cells& cells) {
    std::vector<std::string> line;
    for (const std::string& column : columns()) {
        const std::string& cell = cells[column];
        line.push_back(cell.find(',') == std::string::npos ? cell : fmt::format("\"{}\"", cell));
    }
    return fmt::format("{}\n", fmt::join(line, ","));
}

/// Empty if the table is what was counted; else the first line that differs, and how to mend it.
std::string remedy(const std::string& table, const std::string& counted) {
    std::istringstream has(table), wants(counted);
    for (std::size_t number = 1; has || wants; ++number) {
        std::string was, is;
        std::getline(has, was);
        std::getline(wants, is);
        if (was != is)
            return fmt::format(
                "line {} of tests/oracle/counted.csv is '{}', the umpire counts '{}'. Run ./dev docs, which "
                "writes the table, and look at what changed",
                number, was, is);
    }
    return table == counted ? "" : "tests/oracle/counted.csv ends differently: run ./dev docs, which writes it";
}

TEST(CountedTable, NamesTheFirstLineThatDiffersAndTheRemedy) {
    EXPECT_EQ(remedy("a\nb\n", "a\nb\n"), "");
    EXPECT_EQ(
        remedy("a\nb\n", "a\nc\n"),
        "line 2 of tests/oracle/counted.csv is 'b', the umpire counts 'c'. Run ./dev docs, which writes the table, and "
        "look at what changed");
    EXPECT_NE(remedy("a\n", "a\nb\n"), "");
    EXPECT_NE(remedy("a", "a\n"), "");
}

TEST(CountedTable, IsWhatTheUmpireCountsOfEveryAlgorithm) {
    if (test::under_sanitizer) GTEST_SKIP() << "two minutes; the rows of the oracle run the same algorithms";
    std::string text = fmt::format("{}\n", fmt::join(columns(), ","));
    for (const Algorithm& algorithm : catalogue()) {
        std::vector<Cells> rows = asked_of(algorithm);
        EXPECT_FALSE(rows.empty()) << algorithm.name << " runs on no small machine of any family";
        for (Cells& cells : rows) {
            count(algorithm, cells);
            text += line_of(cells);
        }
    }
    const std::string path = std::string(KPORT_SOURCE_DIR) + "/tests/oracle/counted.csv";
    std::ifstream in(path, std::ios::binary);
    const std::string written{std::istreambuf_iterator<char>(in), {}};
    if (std::getenv("KPORT_DOCS") != nullptr) {
        if (written != text) std::ofstream(path, std::ios::binary) << text;
        return;
    }
    EXPECT_EQ(remedy(written, text), "");
}

}  // namespace
}  // namespace kport
