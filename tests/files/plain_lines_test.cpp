#include "app/files/plain_lines.hpp"

#include <istream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kport {
namespace {

using testing::ElementsAre;

/// Takes the lines that begin with '+', and notes for which it was asked, each behind the byte before it.
class Reading {
  public:
    explicit Reading(const std::string& text)
        : text_(text), lines_(text_, [this](std::string_view line, char before) {
              const std::string seen = before + std::string(line.substr(0, 4));
              if (asked.empty() || asked.back() != seen) asked.push_back(seen);
              return line.starts_with('+');
          }) {}

    [[nodiscard]] std::string rest() {
        std::istream in(&lines_);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// How many bytes the reader gets at once.
    [[nodiscard]] std::streamsize first_piece() {
        (void)lines_.sgetc();
        return lines_.in_avail();
    }

    std::vector<std::string> asked;

  private:
    std::istringstream text_;
    PlainLines lines_;
};

constexpr std::size_t piece = 1 << 16;

TEST(PlainLines, LeaveBlankLinesWhereTheyAreTaken) {
    Reading reading("a\n+b\n+c,\n\n+d\ne\n+f");
    EXPECT_EQ(reading.rest(), "a\n\n\n\n\ne\n+f");
    EXPECT_THAT(reading.asked, ElementsAre("\na", "a+b", "b+c,", ",", ",+d", "de")) << "the last has no end";
}

TEST(PlainLines, AreAskedForWholeOrNotAtAll) {
    Reading reading(std::string(3 * piece, '+') + "\n+b\nc\n");
    EXPECT_EQ(reading.rest(), std::string(3 * piece, '+') + "\n\nc\n") << "not for the end of a line";
    EXPECT_THAT(reading.asked, ElementsAre("++b", "bc"));
}

TEST(PlainLines, HoldTwoPiecesOfTheTextAtMost) {
    EXPECT_LE(Reading(std::string(10 * piece, 'a')).first_piece(), std::streamsize{2 * piece});
    std::string taken;
    for (std::size_t i = 0; i < 3 * piece; ++i) taken += "+\n";
    EXPECT_LE(Reading(taken).first_piece(), std::streamsize{piece});
}

}  // namespace
}  // namespace kport
