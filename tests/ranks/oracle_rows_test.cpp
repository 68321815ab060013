/// @file oracle_rows_test.cpp   Every row of the oracle tables gives the same report on several ranks as in one
///                              process. The ranks are threads.
///
/// Sources  tests/oracle: the report of one process is compared with the tables there (runs_test.cpp).
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/ranks/thread_ranks.hpp"
#include "tests/oracle/all_tables.hpp"
#include "tests/oracle/asked.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using oracle::Asked;
using oracle::Row;

/// Nodes are dealt one by one, so that the ranks of small machines have some each.
std::string told_by(const Asked& asked, const Algorithm& algorithm, Ranks* ranks) {
    RunOptions options;
    options.partition_nodes = 1;
    options.ranks = ranks;
    return test::text(asked.run(algorithm, options), *asked.machine.topology);
}

class EveryOracleRowOnRanks : public testing::TestWithParam<std::string> {};

TEST_P(EveryOracleRowOnRanks, GivesTheReportOfOneProcess) {
    // Each row that is drawn is run by one number of ranks in turn.
    const std::vector<unsigned> sizes{1, 2, 3, 4, 8};
    const std::size_t step = test::Sample(17, 3).one_of();
    const std::vector<Row>& rows = oracle::tables().at(GetParam());
    for (std::size_t i = 0; i < rows.size(); i += step) {
        const Row& row = rows[i];
        SCOPED_TRACE(row.place() + " " + row["algorithm"] + " on " + row["topology"] + " from " + row["source"]);
        const Asked asked(row, oracle::cost_models(operation_named(row["operation"])).front());
        const Algorithm& algorithm = asked.algorithm(row["algorithm"]);
        const std::string alone = told_by(asked, algorithm, nullptr);
        const unsigned size = sizes[i / step % sizes.size()];
        for (const std::string& told :
             at_each_rank(size, [&](Ranks& ranks) { return told_by(asked, algorithm, &ranks); }))
            ASSERT_EQ(told, alone) << size << " ranks";
    }
}

std::vector<std::string> names_of_tables() {
    std::vector<std::string> names;
    for (const auto& [name, rows] : oracle::tables()) names.push_back(name);
    return names;
}
INSTANTIATE_TEST_SUITE_P(Tables, EveryOracleRowOnRanks, testing::ValuesIn(names_of_tables()),
                         [](const auto& test) { return oracle::word(test.param); });

}  // namespace
}  // namespace kport
