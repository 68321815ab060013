/// Linked to a program of tests with mutants in it: tells, after each test, how long it took and to which places it came,
/// in the file that KPORT_REACHED names. What the first test of a suite is set up with counts as its own.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "mutant.hpp"

namespace {

class Recorder final : public testing::EmptyTestEventListener {
  public:
    explicit Recorder(const std::string& path) : out_(path) {}

    void OnTestEnd(const testing::TestInfo& test) override {
        constexpr double milliseconds = 1e-3;
        out_ << test.test_suite_name() << '.' << test.name() << ' '
             << static_cast<double>(test.result()->elapsed_time()) * milliseconds;
        for (int place = 0; place < kport_places; ++place)
            if (kport_reached[place]) out_ << ' ' << place;
        out_ << std::endl;
        std::fill(std::begin(kport_reached), std::end(kport_reached), false);
    }

  private:
    std::ofstream out_;
};

[[maybe_unused]] const bool listens = [] {
    if (const char* path = std::getenv("KPORT_REACHED"))
        testing::UnitTest::GetInstance()->listeners().Append(new Recorder(path));
    return true;
}();

}  // namespace
