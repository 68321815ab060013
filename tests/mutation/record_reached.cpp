/// Linked to a test program with mutants in it: records after each test its duration and the places that it reached, in
/// the file KPORT_REACHED. The set-up of a suite counts as part of its first test.
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
