/// @file corpus_test.cpp   Feeds the fuzzer's corpus to the readers, in every build.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "app/requests/command_table.hpp"
#include "emulator/base/error.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, IsTakenOrRefusedInOneLine) {
    const fs::path folder = fs::path(KPORT_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam().name;
    std::size_t fed = 0;
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
        EXPECT_NO_THROW(feed(GetParam().look_at, content_of(file.path()))) << file.path();
        ++fed;
    }
    EXPECT_GT(fed, 0U);
}

/// A text may be cut off anywhere.
TEST_P(Corpus, CutShortIsTakenOrRefusedInOneLine) {
    const fs::path folder = fs::path(KPORT_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam().name;
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
        const std::string whole = content_of(file.path());
        const std::size_t step = 1 + whole.size() / 32;
        for (std::size_t end = 0; end < whole.size(); end += step)
            EXPECT_NO_THROW(feed(GetParam().look_at, whole.substr(0, end))) << file.path() << " cut at " << end;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryReader, Corpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const testing::TestParamInfo<Target>& at) { return std::string(at.param.name); });

/// So a new command does not wait until the fuzzer comes upon its name.
TEST(Feed, TakesEveryCommandAlone) {
    for (const requests::CommandInfo& command : requests::all_commands())
        EXPECT_NO_THROW(feed(command_line, command.name)) << command.name;
}

TEST(Feed, DistinguishesARefusalFromAFault) {
    EXPECT_NO_THROW(feed([](std::string_view) { throw RequestError("no"); }, ""));
    EXPECT_NO_THROW(feed([](std::string_view) { throw DoesNotFit("too large"); }, ""));
    EXPECT_THROW(feed([](std::string_view) { throw RequestError("two\nlines"); }, ""), std::logic_error);
    EXPECT_THROW(feed([](std::string_view) { throw std::out_of_range("at"); }, ""), std::out_of_range);
    EXPECT_THROW(feed([](std::string_view) { expect(false, "never"); }, ""), std::logic_error);
}

}  // namespace
}  // namespace kport::fuzz
