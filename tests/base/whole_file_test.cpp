/// @file whole_file_test.cpp   Atomic replacement of a file's content.
#include "emulator/base/whole_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/support/own_folder.hpp"

namespace kport {
namespace {

namespace fs = std::filesystem;

class AWholeFile : public testing::Test {
  protected:
    ~AWholeFile() override { fs::remove_all(folder); }

    [[nodiscard]] static std::string read(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    [[nodiscard]] std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder), {}); }

    fs::path folder = test::own_folder();
};

TEST_F(AWholeFile, IsKnownBeforeToHaveNoPlaceAndNothingIsLeftOfTheLook) {
    EXPECT_EQ(why_not_replaced(folder / "a"), std::nullopt);
    EXPECT_EQ(files(), 0);
    EXPECT_TRUE(why_not_replaced(folder / "none" / "a"));
    EXPECT_EQ(why_not_replaced("/dev/null"), std::nullopt) << "of a device nothing is known";
}

TEST_F(AWholeFile, ReplacesTheOldContent) {
    EXPECT_EQ(replace_file(folder / "a", "a longer text\n"), std::nullopt);
    EXPECT_EQ(read(folder / "a"), "a longer text\n");
    EXPECT_EQ(replace_file(folder / "a", std::string_view("\0b", 2)), std::nullopt);
    EXPECT_EQ(read(folder / "a"), std::string("\0b", 2));
    EXPECT_EQ(files(), 1) << "what is written beside it is gone";
}

TEST_F(AWholeFile, KeepsTheOldContentWhereItsWriterGivesUp) {
    EXPECT_EQ(replace_file(folder / "a", "old"), std::nullopt);
    const auto give_up = [](std::ostream& out) {
        out << "half";
        throw std::runtime_error("why");
    };
    EXPECT_THROW((void)replace_file(folder / "a", give_up), std::runtime_error);
    EXPECT_EQ(read(folder / "a"), "old");
    EXPECT_EQ(files(), 1) << "the half is gone";
    EXPECT_EQ(replace_file(folder / "a", [](std::ostream& out) { out << "new"; }), std::nullopt);
    EXPECT_EQ(read(folder / "a"), "new");
}

TEST_F(AWholeFile, IsANewFileSoReadersKeepTheOldOne) {
    EXPECT_EQ(replace_file(folder / "a", "old"), std::nullopt);
    std::ifstream reader(folder / "a");
    EXPECT_EQ(replace_file(folder / "a", "new"), std::nullopt);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old");
}

TEST_F(AWholeFile, IsWrittenWhereALinkLeads) {
    EXPECT_EQ(replace_file(folder / "a", "old"), std::nullopt);
    fs::create_symlink(folder / "a", folder / "link");
    EXPECT_EQ(replace_file(folder / "link", "new"), std::nullopt);
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(read(folder / "a"), "new");
    EXPECT_EQ(files(), 2);
}

TEST_F(AWholeFile, ThatCannotBeWrittenLeavesNothingBehindAndSaysWhy) {
    EXPECT_EQ(replace_file(folder / "none" / "a", "text"), "No such file or directory");
    EXPECT_EQ(replace_file(folder, "text"), "Is a directory");
    EXPECT_TRUE(fs::is_directory(folder));
    EXPECT_EQ(files(), 0);
}

TEST_F(AWholeFile, GoesIntoAPipeItself) {
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    EXPECT_EQ(replace_file(pipe, "text"), std::nullopt);
    EXPECT_TRUE(fs::is_fifo(pipe));
    std::array<char, 10> got{};
    EXPECT_EQ(::read(reader, got.data(), got.size()), 4);
    EXPECT_STREQ(got.data(), "text");
    close(reader);
    EXPECT_EQ(files(), 1);
}

TEST_F(AWholeFile, ThatDoesNotFitKeepsTheOldContent) {
    EXPECT_EQ(replace_file(folder / "a", "old"), std::nullopt);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{4, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const std::optional<std::string> why = replace_file(folder / "a", "a longer text");
    setrlimit(RLIMIT_FSIZE, &before);
    (void)std::signal(SIGXFSZ, handler);
    EXPECT_EQ(why, "File too large");
    EXPECT_EQ(read(folder / "a"), "old");
    EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace kport
