/// @file large_copy_test.cpp   A copy past the caches is a copy, whatever stands where.
#include <vector>

#include <gtest/gtest.h>

#include "emulator/base/processor.hpp"

namespace kport {
namespace {

TEST(ALargeCopy, WritesWhatWasThereAndNothingBeside) {
    for (const std::size_t whole : {std::size_t{1}, std::size_t{1} << 30}) {
        const LargeCopy copy(whole);
        EXPECT_EQ(copy.passes_caches(), whole > 1);
        for (std::size_t to = 64; to < 130; ++to)
            for (const std::size_t from : {0U, 1U, 8U, 63U})
                for (const std::size_t bytes : {0U, 1U, 7U, 8U, 63U, 64U, 65U, 127U, 128U, 200U, 300U}) {
                    std::vector<std::byte> source(512);
                    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i % 251 + 1);
                    std::vector<std::byte> target(512);
                    copy.copy(target.data() + to, source.data() + from, bytes);
                    for (std::size_t i = 0; i < target.size(); ++i) {
                        const bool is_written = i >= to && i < to + bytes;
                        ASSERT_EQ(target[i], is_written ? source[from + i - to] : std::byte{0})
                            << bytes << " bytes to " << to << ", at " << i;
                    }
                }
    }
}

}  // namespace
}  // namespace kport
